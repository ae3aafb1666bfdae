package transcribe_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/voice/transcribe"
	"discoclaw/internal/voice/transcribe/transcribetest"
)

// live runs a test with a stream of Deepgram's.
func live(t *testing.T, test func(t *testing.T, d *transcribetest.Deepgram, s *speaker)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := transcribetest.NewDeepgram(t)
		test(t, d, openLive(t, d))
	})
}

func openLive(t testing.TB, d *transcribetest.Deepgram) *speaker {
	return open(t, transcribe.Options{Deepgram: true, BaseURL: transcribetest.DeepgramURL}, d.HTTP)
}

const sentence = "could you tell me who is coming to the meeting, and what they want from all of us tomorrow?"

func TestALongSentenceIsOneUtterance(t *testing.T) {
	live(t, func(t *testing.T, d *transcribetest.Deepgram, s *speaker) {
		s.silence(100 * time.Millisecond)
		s.say(sentence)
		said := time.Since(s.began) - 100*time.Millisecond
		s.silence(400 * time.Millisecond)
		synctest.Wait()
		s.mu.Lock()
		r := s.final[0]
		for i, text := range s.interim {
			if !strings.HasPrefix(sentence, strings.Join(strings.Fields(text)[:len(strings.Fields(text))-1], " ")) {
				t.Errorf("interim result %d is %q", i, text)
			}
		}
		if len(s.interim) < 5 {
			t.Errorf("there were only %d interim results: %q", len(s.interim), s.interim)
		}
		s.mu.Unlock()
		s.requireUnderstood(sentence)
		if r.From < 100*time.Millisecond || r.From > 140*time.Millisecond || r.To < said-50*time.Millisecond || r.To > said+50*time.Millisecond {
			t.Errorf("it was from %v to %v, and should be from 100ms to %v", r.From, r.To, said)
		}
	})
}

func TestAPauseCompletesAnUtterance(t *testing.T) {
	live(t, func(t *testing.T, d *transcribetest.Deepgram, s *speaker) {
		for _, text := range []string{"yes.", sentence, "no."} {
			s.say(text)
			s.stream.Pause()
			s.requireUnderstood(text)
			time.Sleep(3 * time.Second)
		}
	})
}

func TestUtterancesEndThoughNobodySaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := transcribetest.NewDeepgram(t)
		d.Mute = true
		s := openLive(t, d)
		s.say(sentence)
		s.silence(800 * time.Millisecond)
		s.requireUnderstood()
		s.silence(300 * time.Millisecond)
		s.requireUnderstood(sentence) // UtteranceEnd

		s.say("and now?")
		s.stream.Pause()
		s.requireUnderstood()
		time.Sleep(time.Second)
		s.requireUnderstood("and now?")
	})
}

func TestAnIdleStreamStaysOpen(t *testing.T) {
	live(t, func(t *testing.T, d *transcribetest.Deepgram, s *speaker) {
		time.Sleep(time.Minute + time.Second)
		if got := d.Messages(); len(got) != 12 || d.Asked() != 1 {
			t.Errorf("in a minute there were %d connections and %v", d.Asked(), got)
		}
		if err := s.stream.Close(); err != nil {
			t.Error(err)
		}
		if got := d.Messages(); len(got) == 0 || got[len(got)-1] != "CloseStream" || slices.Contains(got, "Finalize") {
			t.Errorf("it ended with %v", got)
		}
		s.requireOver("<nil>")
		if took := time.Since(s.began); took > time.Minute+time.Second {
			t.Errorf("that took until %v", took)
		}
	})
}

// TestAConnectionBreaksInEachPhase of an utterance. What was understood before stays, what is said meanwhile is sent later.
func TestAConnectionBreaksInEachPhase(t *testing.T) {
	t.Parallel()
	const one, two = "this is what comes first", "and this is the rest of it"
	for _, tt := range []struct {
		name string
		run  func(d *transcribetest.Deepgram, s *speaker)
		want []string
	}{
		{"before it", func(d *transcribetest.Deepgram, s *speaker) {
			d.Break()
			s.say(one)
			s.say(two)
			s.stream.Pause()
		}, []string{one + " " + two}},
		{"between words", func(d *transcribetest.Deepgram, s *speaker) {
			s.say(one)
			s.silence(150 * time.Millisecond)
			d.Break()
			s.say(two)
			s.stream.Pause()
		}, []string{one + " " + two}},
		{"at its end", func(d *transcribetest.Deepgram, s *speaker) {
			s.say(one)
			s.silence(150 * time.Millisecond)
			d.Break()
			s.stream.Pause()
		}, []string{one}},
		{"while its last words wait", func(d *transcribetest.Deepgram, s *speaker) {
			s.say(one)
			s.silence(150 * time.Millisecond)
			d.Break()
			s.say("ok")
			s.stream.Pause()
		}, []string{one + " ok"}},
		{"after it", func(d *transcribetest.Deepgram, s *speaker) {
			s.say(one)
			s.stream.Pause()
			synctest.Wait()
			d.Break()
			time.Sleep(time.Second)
			s.say(two)
			s.stream.Pause()
		}, []string{one, two}},
		{"after its end was asked for", func(d *transcribetest.Deepgram, s *speaker) {
			d.Mute = true
			s.say(one)
			s.stream.Pause()
			synctest.Wait()
			d.Break()
		}, []string{one}},
		{"twice, and the server is busy", func(d *transcribetest.Deepgram, s *speaker) {
			d.Next(transcribetest.Answer(503, "{}"), transcribetest.Answer(429, "{}"))
			d.Break()
			s.say("one moment")
			s.stream.Pause()
		}, []string{"one moment"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			live(t, func(t *testing.T, d *transcribetest.Deepgram, s *speaker) {
				time.Sleep(10 * time.Millisecond)
				tt.run(d, s)
				time.Sleep(4 * time.Second)
				s.requireUnderstood(tt.want...)
			})
		})
	}
}

// TestTimesAreThoseOfTheWholeSound, though each connection counts from 0, and not what was dropped.
func TestTimesAreThoseOfTheWholeSound(t *testing.T) {
	live(t, func(t *testing.T, d *transcribetest.Deepgram, s *speaker) {
		for _, wait := range []time.Duration{10 * time.Millisecond, 3 * time.Second} {
			s.silence(wait)
			resume := func() {}
			if wait > time.Second {
				resume = d.Stall()
				s.silence(wait)
			}
			d.Break()
			begins := time.Since(s.began)
			s.say("what is the time?")
			ends := time.Since(s.began) - 100*time.Millisecond
			resume()
			s.stream.Pause()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			s.began = s.began.Add(2 * time.Second) // in which nothing was written
			s.mu.Lock()
			const off = 20 * time.Millisecond
			if r := s.final; len(r) != 1 || (r[0].From-begins).Abs() > off || (r[0].To-ends).Abs() > off {
				t.Errorf("understood %v, which was from %v to %v", r, begins, ends)
			}
			s.mu.Unlock()
			s.requireUnderstood("what is the time?")
		}
	})
}

func TestRetriesAreCounted(t *testing.T) {
	live(t, func(t *testing.T, d *transcribetest.Deepgram, s *speaker) {
		time.Sleep(31 * time.Second)
		busy := transcribetest.Answer(503, key)
		for range 5 { // each with a retry that fails, and a healthy time after it
			d.Next(busy)
			d.Break()
			time.Sleep(40 * time.Second)
		}
		s.say("still here")
		s.stream.Pause()
		s.requireUnderstood("still here")
		if n := d.Asked(); n != 1+2*5 {
			t.Errorf("there were %d connections", n)
		}
		s.say("what was understood")
		s.silence(150 * time.Millisecond)
		d.Next(busy, busy, busy, busy)
		d.Break()
		time.Sleep(3499 * time.Millisecond)
		synctest.Wait()
		select {
		case <-s.over:
			t.Error("it gave up too early")
		default:
		}
		time.Sleep(2 * time.Millisecond)
		s.requireOver("the server for transcriptions failed (status 503)")
		s.requireUnderstood("what was understood")
		if n := d.Asked(); n != 1+2*5+3 {
			t.Errorf("there were %d connections", n)
		}
	})
}

func TestARefusalIsFinal(t *testing.T) {
	for _, tt := range []struct {
		name  string
		http  func(d *transcribetest.Deepgram) *http.Client
		after time.Duration
		want  string
	}{
		{"a wrong key", func(d *transcribetest.Deepgram) *http.Client {
			return &http.Client{Transport: without{d.HTTP.Transport}}
		}, 0, "the server for transcriptions refused it (status 401)"},
		{"no server", func(d *transcribetest.Deepgram) *http.Client {
			return &http.Client{Transport: dead{}}
		}, 3500 * time.Millisecond, "the server for transcriptions could not be used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := transcribetest.NewDeepgram(t)
				s := open(t, transcribe.Options{Deepgram: true, BaseURL: transcribetest.DeepgramURL}, tt.http(d))
				time.Sleep(tt.after)
				s.requireOver(tt.want)
				s.stream.Write(make([]int16, 960)) // nobody is there to take it
				s.stream.Pause()
			})
		})
	}
}

// without takes the key out of requests.
type without struct{ http.RoundTripper }

func (w without) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if strings.Contains(r.URL.String(), "horse") {
		return nil, fmt.Errorf("the key is in the address")
	}
	r.Header.Set("Authorization", "Token nothing")
	return w.RoundTripper.RoundTrip(r)
}

// dead reaches nobody.
type dead struct{}

func (dead) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("cannot connect with %v", r.Header)
}

func TestSpeechWaitsForAConnectionAndIsThenDropped(t *testing.T) {
	live(t, func(t *testing.T, d *transcribetest.Deepgram, s *speaker) {
		time.Sleep(time.Second)
		resume := d.Stall()
		for range 2 {
			s.say("this comes too early to be heard and may be lost or not")
		}
		before := d.Samples()
		s.say("this is the end")
		if d.Samples() != before {
			t.Error("the server takes sound")
		}
		resume()
		time.Sleep(time.Second)
		s.stream.Pause()
		synctest.Wait()
		if got := s.texts(); len(got) == 0 || !strings.HasSuffix(got[len(got)-1], "this is the end") {
			t.Errorf("understood %q", got)
		}
		if n := strings.Count(s.log.String(), "speech dropped"); n != 1 {
			t.Errorf("%d lines tell of it:\n%s", n, &s.log)
		}
		if took := d.Samples() - before; took > 48000*5/2 {
			t.Errorf("%d samples waited", took)
		}
	})
}

func TestCloseEndsAStreamInEachPhase(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(d *transcribetest.Deepgram, s *speaker){
		"at once":         func(*transcribetest.Deepgram, *speaker) {},
		"while connected": func(*transcribetest.Deepgram, *speaker) { time.Sleep(time.Second) },
		"while a connection is made": func(d *transcribetest.Deepgram, _ *speaker) {
			time.Sleep(time.Second)
			d.Next(transcribetest.Hang)
			d.Break()
			time.Sleep(time.Second)
		},
		"between two tries": func(d *transcribetest.Deepgram, _ *speaker) {
			time.Sleep(time.Second)
			d.Break()
			time.Sleep(100 * time.Millisecond)
		},
		"while it is stalled": func(d *transcribetest.Deepgram, s *speaker) {
			d.Stall()
			s.say("hello")
		},
	} {
		t.Run(name, func(t *testing.T) {
			live(t, func(t *testing.T, d *transcribetest.Deepgram, s *speaker) {
				prepare(d, s)
				before := time.Now()
				if err := s.stream.Close(); err != nil {
					t.Error(err)
				}
				if took := time.Since(before); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
				s.requireOver("<nil>")
			})
		})
	}
}
