package transcribe_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/voice/tones"
	"discoclaw/internal/voice/transcribe"
	"discoclaw/internal/voice/transcribe/transcribetest"
)

// batch runs a test with a stream of a server that takes only whole recordings.
func batch(t *testing.T, test func(t *testing.T, d *transcribetest.OpenAI, s *speaker)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := transcribetest.NewOpenAI(t)
		test(t, d, openBatch(t, d))
	})
}

func openBatch(t testing.TB, d *transcribetest.OpenAI) *speaker {
	return open(t, transcribe.Options{BaseURL: transcribetest.OpenAIURL, Model: "ear-1"}, d.HTTP)
}

func TestSpeechIsCutIntoUtterances(t *testing.T) {
	batch(t, func(t *testing.T, d *transcribetest.OpenAI, s *speaker) {
		s.silence(time.Second)
		for _, text := range []string{"how are you?", sentence, "fine!"} {
			begins, before := time.Since(s.began), d.Samples()
			s.say(text) // with 100 ms of silence
			ends := time.Since(s.began) - 100*time.Millisecond
			s.silence(580 * time.Millisecond)
			s.requireUnderstood()
			s.silence(20 * time.Millisecond)
			synctest.Wait()
			s.mu.Lock()
			if r := s.final; len(r) != 1 || r[0].From != begins || r[0].To != ends {
				t.Errorf("understood %v, which was from %v to %v", r, begins, ends)
			}
			s.mu.Unlock()
			s.requireUnderstood(text)
			// Speech begins and ends softly: 300 ms before it go with it, and 200 ms after it.
			if n, want := d.Samples()-before, int((ends-begins+500*time.Millisecond).Milliseconds())*16; n != want {
				t.Errorf("%d samples were sent, want %d", n, want)
			}
			s.silence(300 * time.Millisecond)
		}
		if n := d.Asked(); n != 3 {
			t.Errorf("there were %d requests", n)
		}
	})
}

func TestAPauseSendsWhatThereIs(t *testing.T) {
	batch(t, func(_ *testing.T, d *transcribetest.OpenAI, s *speaker) {
		for _, text := range []string{"how are you?", "fine!"} {
			s.say(text)
			s.stream.Pause()
			s.requireUnderstood(text)
		}
		s.stream.Pause()
		s.requireUnderstood()
	})
}

func TestWhatIsTooShortIsNoSpeech(t *testing.T) {
	batch(t, func(t *testing.T, d *transcribetest.OpenAI, s *speaker) {
		s.write(tones.Tone(3, s.rate, 280*time.Millisecond))
		s.silence(time.Second)
		s.requireUnderstood()
		if d.Asked() > 0 {
			t.Error("the server was asked")
		}
		s.write(tones.Tone(3, s.rate, 300*time.Millisecond))
		s.silence(time.Second)
		s.requireUnderstood("d")
	})
}

func TestALongSpeechIsCutBetweenWords(t *testing.T) {
	batch(t, func(t *testing.T, d *transcribetest.OpenAI, s *speaker) {
		long := strings.Repeat("this goes on and on. ", 90)
		s.say(long)
		s.silence(time.Second)
		s.say("really?")
		s.silence(time.Second)
		synctest.Wait()
		got := strings.Join(s.texts(), " ")
		if want := long + "really?"; got != want {
			t.Errorf("understood %q", got)
		}
		if n := len(d.Heard()); n != 4 || time.Since(s.began) < 2*time.Minute {
			t.Errorf("there were %d requests in %v", n, time.Since(s.began))
		}
	})
}

func TestASpeechWithoutABreathIsCutAfterAMinute(t *testing.T) {
	batch(t, func(t *testing.T, d *transcribetest.OpenAI, s *speaker) {
		for range 260 { // the noise that is heard follows what never falls, so that this one falls a little, but not to nothing
			s.write(tones.Tone(3, s.rate, 480*time.Millisecond))
			soft := tones.Tone(3, s.rate, 20*time.Millisecond)
			for i := range soft {
				soft[i] /= 4
			}
			s.write(soft)
			if n := d.Samples(); n > 16000*60*3 {
				t.Fatalf("%d samples were sent", n)
			}
		}
		synctest.Wait()
		if n := d.Samples(); n < 16000*119 || d.Asked() != 2 {
			t.Errorf("%d samples came in %d requests", n, d.Asked())
		}
	})
}

func TestNoiseIsNoSpeech(t *testing.T) {
	batch(t, func(t *testing.T, d *transcribetest.OpenAI, s *speaker) {
		rnd := rand.New(rand.NewPCG(1, 2))
		noise := func(pcm []int16) []int16 {
			for i := range pcm {
				pcm[i] += int16(rnd.NormFloat64() * 500)
			}
			return pcm
		}
		for range 50 {
			s.write(noise(make([]int16, s.rate)))
		}
		synctest.Wait()
		before := d.Samples() // until the noise is known as such
		if before > 10*s.rate {
			t.Errorf("%d samples of noise were sent", before)
		}
		s.texts()
		for range 3 {
			pcm := tones.Say("is anybody there?")
			var taken []int16
			for i := 0; i < len(pcm); i += 3 {
				taken = append(taken, pcm[i])
			}
			s.write(noise(taken))
			for range 5 {
				s.write(noise(make([]int16, s.rate)))
			}
			s.requireUnderstood("is anybody there?")
		}
		if n := d.Samples() - before; n > 3*2*s.rate {
			t.Errorf("%d samples were sent", n)
		}
	})
}

func TestRequestsThatFail(t *testing.T) {
	busy := transcribetest.Answer(503, key)
	for _, tt := range []struct {
		name    string
		answers []http.HandlerFunc
		want    []string
		failure string // if that ends the stream
	}{
		{"a server that is busy", []http.HandlerFunc{busy, transcribetest.Answer(429, "{}"), busy}, []string{"number one", "number two"}, ""},
		{"a server that stays so", []http.HandlerFunc{busy, busy, busy, busy}, nil, "the server for transcriptions failed (status 503)"},
		{"a refusal", []http.HandlerFunc{transcribetest.Answer(401, key)}, nil, "the server for transcriptions refused it (status 401)"},
		{"nothing understood", []http.HandlerFunc{transcribetest.Answer(200, `{"text":""}`)}, []string{"number two"}, ""},
		{"a slow answer", []http.HandlerFunc{slow("at last")}, []string{"at last", "number two"}, ""},
		{"no answer", []http.HandlerFunc{transcribetest.Hang}, nil, "the server for transcriptions took too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			batch(t, func(t *testing.T, d *transcribetest.OpenAI, s *speaker) {
				d.Next(tt.answers...)
				for _, text := range []string{"number one", "number two"} {
					s.say(text)
					s.stream.Pause()
				}
				time.Sleep(31 * time.Second)
				s.requireUnderstood(tt.want...)
				if tt.failure != "" {
					s.requireOver(tt.failure)
				}
			})
		})
	}
}

func slow(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(10 * time.Second)
		transcribetest.Answer(200, `{"text":"`+text+`"}`)(w, r)
	}
}

// TestRequestsWaitForEachOther, those of all speakers and voice messages.
func TestRequestsWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := transcribetest.NewOpenAI(t)
		o := transcribe.Options{BaseURL: transcribetest.OpenAIURL, Model: "ear-1", Key: key, HTTP: d.HTTP}
		service := transcribe.New(o)
		for range 4 {
			stream, err := service.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			d.Next(slow("first"))
			stream.Write(tones.Tone(1, service.Rate(), time.Second))
			stream.Pause()
		}
		d.Next(slow("message"))
		time.Sleep(time.Second)
		if text, err := service.Transcribe(t.Context(), "voice-message.ogg", []byte("OggS")); text != "message" && text != "first" || err != nil {
			t.Error(text, err)
		}
		if d.Most() != 2 {
			t.Errorf("%d were transcribed at once", d.Most())
		}
	})
}

func TestSpeechIsDroppedIfTheServerIsTooSlow(t *testing.T) {
	batch(t, func(t *testing.T, d *transcribetest.OpenAI, s *speaker) {
		d.Next(slow("slow"))
		for range 12 {
			s.say("all right")
			s.stream.Pause()
		}
		if n := strings.Count(s.log.String(), "speech dropped"); n != 1 {
			t.Errorf("%d lines tell that the server is too slow: %s", n, &s.log)
		}
		time.Sleep(time.Minute)
		if got := s.texts(); len(got) != 9 || got[0] != "slow" || got[8] != "all right" {
			t.Errorf("understood %q", got)
		}
	})
}

func TestCloseDoesNotWaitForAnAnswer(t *testing.T) {
	batch(t, func(t *testing.T, d *transcribetest.OpenAI, s *speaker) {
		d.Next(transcribetest.Hang)
		s.say("hello there")
		s.stream.Pause()
		synctest.Wait()
		before := time.Now()
		if err := s.stream.Close(); err != nil || time.Since(before) > 0 {
			t.Errorf("it took %v: %v", time.Since(before), err)
		}
	})
}
