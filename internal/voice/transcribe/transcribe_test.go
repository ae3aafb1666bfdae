package transcribe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"discoclaw/internal/voice/transcribe"
)

const key = "correct horse battery staple"

// serve answers as a server for transcriptions would.
func serve(t *testing.T, status int, body string) *transcribe.Service {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, head, err := r.FormFile("file")
		if err != nil || r.URL.Path != "/v1/audio/transcriptions" || r.FormValue("model") != "ear-1" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("the request is %s %s with %v, %v", r.Method, r.URL, r.Form, err)
			return
		}
		if data, _ := io.ReadAll(file); string(data) != "OggS sound" || head.Filename != "voice-message.ogg" {
			t.Errorf("the file is %q with %q", head.Filename, data)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return transcribe.New(transcribe.Options{BaseURL: server.URL + "/v1", Key: key, Model: "ear-1", HTTP: server.Client()})
}

func TestTranscribe(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"words", 200, `{"text":" Hello there. "}`, "Hello there."},
		{"silence", 200, `{"text":" "}`, "failed: nothing was understood"},
		{"a wrong key", 401, `{"error":{"message":"wrong key: ` + key + `"}}`, "failed: the server for transcriptions refused it (status 401)"},
		{"a server that is down", 502, `<html>` + key, "failed: the server for transcriptions failed (status 502)"},
		{"something else", 200, `<html>`, "failed: the server for transcriptions could not be used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := serve(t, tt.status, tt.body).Transcribe(t.Context(), "voice-message.ogg", []byte("OggS sound"))
			if err != nil {
				got = "failed: " + err.Error()
			}
			if got != tt.want || strings.Contains(got, key) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
