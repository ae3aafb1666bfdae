package speech_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/voice/speech"
	"discoclaw/internal/voice/speech/speechtest"
)

func service(s *speechtest.Server) *speech.Service {
	return speech.New(speech.Options{BaseURL: speechtest.URL, Key: speechtest.Key, Model: "mouth-1", Voice: "alloy", HTTP: s.HTTP})
}

func TestSay(t *testing.T) {
	const key = speechtest.Key
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string // the type of the recording, or the failure
		unpaid bool
	}{
		{"as asked", nil, "audio/mpeg mp3", false},
		{"without a tag", speechtest.Answer(200, "\xff\xfb sound"), "audio/mpeg mp3", false},
		{"another format", speechtest.Answer(200, "OggS sound"), "audio/ogg ogg", false},
		{"a third one", speechtest.Answer(200, "RIFF sound"), "audio/wav wav", false},
		{"and a fourth", speechtest.Answer(200, "fLaC sound"), "audio/flac flac", false},
		{"a page", speechtest.Answer(200, "<html>"+key), "what the server for speech sent is no recording", false},
		{"nothing", speechtest.Answer(200, ""), "what the server for speech sent is no recording", false},
		{"too much", speechtest.Answer(200, "ID3"+strings.Repeat("x", 26<<20)), "the recording is too long; ask for less text", false},
		{"a wrong key", speechtest.Answer(401, `{"error":{"message":"wrong key: `+key+`"}}`), "the server for speech did not accept my key", true},
		{"too often", speechtest.Answer(429, `{}`), "the server for speech takes no more for now; try again a little later", true},
		{"a wrong voice", speechtest.Answer(400, `{"error":{"message":"`+key+`"}}`), "the server for speech refused it (status 400)", true},
		{"a server that is down", speechtest.Answer(502, key), "the server for speech failed (status 502); try again a little later", false},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.test/", http.StatusTemporaryRedirect)
		},
			"what the server for speech sent is no recording", false},
		{"a broken connection", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "the server for speech could not be used", false},
		{"silence", speechtest.Hang, "the server for speech took too long; ask for less text", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := speechtest.New(t)
				if tt.answer != nil {
					server.Next(tt.answer)
				}
				r, err := service(server).Say(t.Context(), "Hello there.")
				got, unpaid := r.Type+" "+r.Ending, false
				if failed := (*speech.Failure)(nil); errors.As(err, &failed) {
					got, unpaid = failed.What, failed.Unpaid
				}
				if got != tt.want || unpaid != tt.unpaid || err != nil && strings.Contains(err.Error(), key) {
					t.Errorf("got %q, unpaid %v, want %q", got, unpaid, tt.want)
				}
				if diff := cmp.Diff([]speechtest.Asked{{Model: "mouth-1", Voice: "alloy", Text: "Hello there.", Format: "mp3"}}, server.Asked()); diff != "" {
					t.Errorf("asked (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestTextsWaitForEachOther, and one that is not wanted any more does not.
func TestTextsWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := speechtest.New(t)
		server.Next(speechtest.Hang, speechtest.Hang)
		s := service(server)
		ctx, stop := context.WithCancelCause(t.Context())
		for range 3 {
			go func() { _, _ = s.Say(ctx, "Hello.") }()
		}
		synctest.Wait()
		if n := len(server.Asked()); n != 2 {
			t.Errorf("%d are spoken at a time", n)
		}
		gone := errors.New("nobody listens")
		stop(gone)
		if _, err := s.Say(ctx, "Hello."); !errors.Is(err, gone) {
			t.Errorf("the error is %v", err)
		}
		time.Sleep(time.Second)
	})
}
