package transcribe_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"discoclaw/internal/memnet"
	"discoclaw/internal/voice/transcribe"
	"discoclaw/internal/voice/transcribe/transcribetest"
)

const key = transcribetest.Key

// A vendor is a server that gives one answer.
type vendor struct {
	options transcribe.Options
	path    string
	header  string
	said    func(text string) (body string)
	take    func(t *testing.T, r *http.Request) (data []byte)
}

var vendors = map[string]vendor{
	"openai": {
		transcribe.Options{BaseURL: transcribetest.OpenAIURL, Model: "ear-1"}, "/stt/v1/audio/transcriptions", "Bearer " + key,
		func(text string) string { return `{"text":"` + text + `"}` },
		func(t *testing.T, r *http.Request) []byte {
			file, head, err := r.FormFile("file")
			if err != nil || head.Filename != "voice-message.ogg" || r.FormValue("model") != "ear-1" || r.FormValue("language") != "" {
				t.Fatalf("the form is %v, %v", r.Form, err)
			}
			data, _ := io.ReadAll(file)
			return data
		},
	},
	"deepgram": {
		transcribe.Options{Deepgram: true, BaseURL: transcribetest.DeepgramURL},
		"/deepgram/v1/listen?language=multi&model=nova-3&smart_format=true", "Token " + key,
		func(text string) string {
			return `{"metadata":{},"results":{"channels":[{"alternatives":[{"transcript":"` + text + `"}]}]}}`
		},
		func(_ *testing.T, r *http.Request) []byte {
			data, _ := io.ReadAll(r.Body)
			return data
		},
	},
}

// serve answers as a server for transcriptions would.
func (v vendor) serve(t *testing.T, status int, body string) *transcribe.Service {
	t.Helper()
	network := memnet.New()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.String() != v.path || r.Header.Get("Authorization") != v.header {
			t.Errorf("the request is %s %s", r.Method, r.URL)
		}
		if data := v.take(t, r); string(data) != "OggS sound" {
			t.Errorf("the file is %q", data)
		}
		if status == http.StatusFound {
			w.Header().Set("Location", "http://evil.test/")
		}
		transcribetest.Answer(status, body)(w, r)
	})}
	go func() { _ = server.Serve(network) }()
	t.Cleanup(func() { _ = server.Close() })
	o := v.options
	o.Key, o.HTTP = key, network.HTTPClient()
	return transcribe.New(o)
}

func TestTranscribe(t *testing.T) {
	t.Parallel()
	for name, v := range vendors {
		for _, tt := range []struct {
			name   string
			status int
			body   string
			want   string
		}{
			{"words", 200, v.said(" Hello there. "), "Hello there."},
			{"silence", 200, v.said(" "), "failed: nothing was understood"},
			{"a wrong key", 401, `{"error":{"message":"wrong key: ` + key + `"}}`, "failed: the server for transcriptions refused it (status 401)"},
			{"a server that is down", 502, `<html>` + key, "failed: the server for transcriptions failed (status 502)"},
			{"something else", 200, `<html>`, "failed: the server for transcriptions could not be used"},
			{"less than an answer", 200, `{"results":{"channels":[]}}`, map[string]string{
				"openai": "failed: nothing was understood", "deepgram": "failed: the server for transcriptions could not be used"}[name]},
			{"a redirect", 302, "", "failed: the server for transcriptions could not be used"},
		} {
			t.Run(name+", "+tt.name, func(t *testing.T) {
				t.Parallel()
				got, err := v.serve(t, tt.status, tt.body).Transcribe(t.Context(), "voice-message.ogg", []byte("OggS sound"))
				if err != nil {
					got = "failed: " + err.Error()
				}
				if got != tt.want || strings.Contains(got, key) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		}
	}
}
