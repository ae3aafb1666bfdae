package speech_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/voice/pcm"
	"discoclaw/internal/voice/speech"
	"discoclaw/internal/voice/speech/speechtest"
)

// options are those of a provider at a server.
func options(provider string, s *speechtest.Server) speech.Options {
	o := speech.Options{Provider: provider, Key: speechtest.Key, HTTP: s.HTTP, Speed: 1.3}
	switch provider {
	case speech.OpenAI:
		o.BaseURL, o.Model, o.Voice = speechtest.URL, "tts-1", "alloy"
	case speech.Cartesia:
		o.BaseURL, o.Voice = speechtest.Cartesia, speechtest.VoiceID
	case speech.Deepgram:
		o.BaseURL = speechtest.Deepgram
	}
	return o
}

// all reads a sound to its end.
func all(s *speech.Sound) (got []int16, err error) {
	part := make([]int16, 960)
	for {
		n, err := s.Read(part)
		got = append(got, part[:n]...)
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
	}
}

var providers = []string{speech.OpenAI, speech.Cartesia, speech.Deepgram}

func TestEveryProviderSpeaks(t *testing.T) {
	for _, tt := range []struct {
		provider   string
		rate       int // of what it sends
		loud, file speechtest.Asked
		ending     string
	}{
		{speech.OpenAI, 24000, speechtest.Asked{Model: "tts-1", Voice: "alloy", Text: "Hello.", Format: "pcm", Speed: 1.3},
			speechtest.Asked{Model: "tts-1", Voice: "alloy", Text: "Hello.", Format: "mp3", Speed: 1.3}, "mp3"},
		{speech.Cartesia, 48000, speechtest.Asked{Model: "sonic-3", Voice: speechtest.VoiceID, Text: "Hello.", Format: "pcm_s16le 48000", Speed: 1.3},
			speechtest.Asked{Model: "sonic-3", Voice: speechtest.VoiceID, Text: "Hello.", Format: "pcm_s16le 24000", Speed: 1.3}, "wav"},
		{speech.Deepgram, 48000, speechtest.Asked{Model: "aura-2-asteria-en", Text: "Hello.", Format: "linear16 48000", Speed: 1.3},
			speechtest.Asked{Model: "aura-2-asteria-en", Text: "Hello.", Format: "mp3", Speed: 1.3}, "mp3"},
	} {
		t.Run(tt.provider, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := speechtest.New(t)
				s := speech.New(options(tt.provider, server))
				sound, err := s.Sound(t.Context(), "Hello.")
				if err != nil {
					t.Fatal(err)
				}
				defer sound.Close()
				got, err := all(sound)
				want := speechtest.Tones("Hello.", tt.rate)
				if len(got) != len(want)*pcm.Rate/tt.rate || err != nil {
					t.Fatalf("%d samples (%v), want %d at %d Hz", len(got), err, len(want), tt.rate)
				}
				for i, sample := range want {
					if got[i*pcm.Rate/tt.rate] != sample {
						t.Fatalf("sample %d is %d, want %d", i, got[i*pcm.Rate/tt.rate], sample)
					}
				}
				r, err := s.Say(t.Context(), "Hello.")
				if err != nil || r.Ending != tt.ending {
					t.Errorf("the recording is %q: %v", r.Ending, err)
				}
				if diff := cmp.Diff([]speechtest.Asked{tt.loud, tt.file}, server.Asked()); diff != "" {
					t.Errorf("asked (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestLongTextsAreSpokenToTheEnd, in parts that each server takes.
func TestLongTextsAreSpokenToTheEnd(t *testing.T) {
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := speechtest.New(t)
				server.Voice = func(text string, rate int) []int16 { return []int16{int16(len(text))} }
				text := strings.Repeat("This is a sentence. ", 220)
				sound, err := speech.New(options(provider, server)).Sound(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				defer sound.Close()
				got, err := all(sound)
				var spoken string
				for _, asked := range server.Asked() {
					spoken += asked.Text
				}
				if without := strings.NewReplacer(" ", ""); without.Replace(spoken) != without.Replace(text) {
					t.Errorf("%d of %d characters are spoken", len(spoken), len(text))
				}
				if n := len(server.Asked()); n != 3 || len(slices.Compact(got)) < 2 || err != nil {
					t.Errorf("%d requests, %d samples: %v", n, len(got), err)
				}
			})
		})
	}
}

func TestNothingToSayAsksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := speechtest.New(t)
		for _, provider := range providers {
			for _, text := range []string{"", " \n"} {
				sound, err := speech.New(options(provider, server)).Sound(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := all(sound); len(got) > 0 || err != nil {
					t.Errorf("%d samples: %v", len(got), err)
				}
				sound.Close()
			}
		}
		if n := len(server.Asked()); n > 0 {
			t.Errorf("%d requests", n)
		}
	})
}

// then sends a part, and goes on after a while.
func then(part string, wait time.Duration, rest string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, part)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, rest)
	}
}

func TestSoundFailures(t *testing.T) {
	chunk := `{"type":"chunk","status_code":206,"data":"` + base64.StdEncoding.EncodeToString([]byte("abcd")) + `"}`
	broken := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	const slow, unusable = "the server for speech took too long; try again a little later", "the server for speech could not be used"
	key := map[string]string{speech.OpenAI: "DISCOCLAW_TTS_API_KEY", speech.Cartesia: "CARTESIA_API_KEY", speech.Deepgram: "DEEPGRAM_API_KEY"}
	voice := map[string]string{speech.OpenAI: "DISCOCLAW_TTS_VOICE", speech.Cartesia: "CARTESIA_VOICE_ID", speech.Deepgram: "DEEPGRAM_TTS_VOICE"}
	place := map[string]string{speech.OpenAI: "DISCOCLAW_TTS_BASE_URL", speech.Cartesia: "api.cartesia.ai", speech.Deepgram: "api.deepgram.com"}
	for _, tt := range []struct {
		name, only string // only: the provider
		answer     http.HandlerFunc
		want       string
		remedy     map[string]string
		took       time.Duration
		unpaid     bool
	}{
		{"a wrong key", "", speechtest.Answer(401, speechtest.Key), "the server for speech did not accept my key", key, 0, true},
		{"no credit", "", speechtest.Answer(402, "{}"), "the account for speech has no credit left", key, 0, true},
		{"too often", "", speechtest.Answer(429, "{}"), "the server for speech takes no more for now; try again a little later", nil, 0, true},
		{"a wrong voice", "", speechtest.Answer(400, speechtest.Key), "the server for speech refused it (status 400)", voice, 0, true},
		{"a server that is down", "", speechtest.Answer(503, speechtest.Key), "the server for speech failed (status 503); try again a little later", nil, 0, false},
		{"a broken connection", "", broken, unusable, place, 0, false},
		{"no answer", "", speechtest.Hang, slow, place, 5 * time.Second, false},
		{"no sound", speech.Deepgram, then("", time.Minute, "abcd"), slow, place, 5 * time.Second, false},
		{"a pause", speech.Deepgram, then("abcd", time.Minute, "abcd"), slow, place, 10 * time.Second, false},
		{"an empty answer", speech.Deepgram, speechtest.Answer(200, ""), "what the server for speech sent is no recording", place, 0, false},
		{"a file", speech.OpenAI, speechtest.Answer(200, speechtest.MP3), "what the server for speech sent is no recording", place, 0, false},
		{"an error as an answer", speech.OpenAI, speechtest.Answer(200, `{"error":1}`), "what the server for speech sent is no recording", place, 0, false},
		{"half an answer", speech.OpenAI, func(w http.ResponseWriter, r *http.Request) { then("abcd", 0, "")(w, r); panic(http.ErrAbortHandler) },
			unusable, place, 0, false},
		{"no message", speech.Cartesia, speechtest.Messages(), slow, place, 5 * time.Second, false},
		{"no further message", speech.Cartesia, speechtest.Messages(chunk), slow, place, 10 * time.Second, false},
		{"a refusal", speech.Cartesia, speechtest.Messages(`{"type":"error","status_code":404,"error":"no such voice"}`),
			"the server for speech refused it (status 404)", voice, 0, true},
		{"a refusal in the middle", speech.Cartesia, speechtest.Messages(chunk, `{"type":"error","status_code":500,"error":"oops","done":true}`),
			"the server for speech failed (status 500); try again a little later", nil, 0, false},
		{"an error without a status", speech.Cartesia, speechtest.Messages(`{"error":"` + speechtest.Key + `"}`),
			"the server for speech failed (status 500); try again a little later", nil, 0, false},
		{"a message that is none", speech.Cartesia, speechtest.Messages("hello"), unusable, place, 0, false},
		{"sound that is none", speech.Cartesia, speechtest.Messages(`{"data":"§"}`), unusable, place, 0, false},
		{"nothing but an end", speech.Cartesia, speechtest.Messages(`{"done":true}`), "what the server for speech sent is no recording", place, 0, false},
	} {
		for _, provider := range providers {
			if tt.only != "" && tt.only != provider {
				continue
			}
			t.Run(tt.name+"/"+provider, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := speechtest.New(t)
					server.Next(tt.answer)
					began := time.Now()
					sound, err := speech.New(options(provider, server)).Sound(t.Context(), "Hello.")
					if err == nil {
						_, err = all(sound)
						sound.Close()
					}
					failed, ok := errors.AsType[*speech.Failure](err)
					if !ok {
						t.Fatalf("the error is %v", err)
					}
					if failed.What != tt.want || !strings.Contains(failed.Remedy, tt.remedy[provider]) || failed.Unpaid != tt.unpaid || strings.Contains(failed.Remedy, speechtest.Key) {
						t.Errorf("got %+v, want %q and %q, unpaid %v", *failed, tt.want, tt.remedy[provider], tt.unpaid)
					}
					if took := time.Since(began); took != tt.took {
						t.Errorf("it took %v, want %v", took, tt.took)
					}
				})
			})
		}
	}
}

// TestConnectingIsLimited: a server that nobody reaches is given up after five seconds.
func TestConnectingIsLimited(t *testing.T) {
	for _, provider := range providers {
		synctest.Test(t, func(t *testing.T) {
			o := options(provider, speechtest.New(t))
			o.HTTP = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				time.Sleep(10 * time.Second)
				return nil, net.ErrClosed
			}}}
			began := time.Now()
			_, err := speech.New(o).Sound(t.Context(), "Hello.")
			if took := time.Since(began); took != 5*time.Second || err == nil {
				t.Errorf("%s: after %v: %v", provider, took, err)
			}
			time.Sleep(time.Minute)
		})
	}
}

// TestACancelledSoundEndsItsRequest at once, and says why.
func TestACancelledSoundEndsItsRequest(t *testing.T) {
	for _, provider := range providers {
		synctest.Test(t, func(t *testing.T) {
			server, left := speechtest.New(t), make(chan struct{})
			server.Next(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done(); close(left) })
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(enough) })
			began := time.Now()
			_, err := speech.New(options(provider, server)).Sound(ctx, "Hello.")
			if took := time.Since(began); took != time.Second || !errors.Is(err, enough) {
				t.Errorf("%s: after %v: %v", provider, took, err)
			}
			<-left
		})
	}
}

// TestAListenerMayBeSlow: the limits are for the server alone.
func TestAListenerMayBeSlow(t *testing.T) {
	for _, provider := range providers {
		synctest.Test(t, func(t *testing.T) {
			server := speechtest.New(t)
			sound, err := speech.New(options(provider, server)).Sound(t.Context(), strings.Repeat("Hello. ", 30))
			if err != nil {
				t.Fatal(err)
			}
			defer sound.Close()
			for range 3 {
				time.Sleep(time.Minute)
				if _, err := sound.Read(make([]int16, 960)); err != nil {
					t.Errorf("%s: %v", provider, err)
				}
			}
			if _, err := all(sound); err != nil {
				t.Errorf("%s: %v", provider, err)
			}
		})
	}
}

// TestConnectingIsNoPartOfTheFirstSound: each has its own limit.
func TestConnectingIsNoPartOfTheFirstSound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := speechtest.New(t)
		server.Next(then("", 4*time.Second, "abcd"))
		o := options(speech.Deepgram, server)
		direct := server.HTTP.Transport.(*http.Transport).DialContext
		o.HTTP = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			time.Sleep(3 * time.Second)
			return direct(ctx, network, addr)
		}, DisableKeepAlives: true}}
		sound, err := speech.New(o).Sound(t.Context(), "Hello.")
		if err != nil {
			t.Fatal(err)
		}
		defer sound.Close()
		if got, err := all(sound); len(got) != 2 || err != nil {
			t.Errorf("%d samples: %v", len(got), err)
		}
	})
}
