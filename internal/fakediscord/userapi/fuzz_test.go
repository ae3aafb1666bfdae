package userapi_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/userapi"
)

// FuzzHandler sends arbitrary requests. Each gets a JSON response with a status of the
// API.
func FuzzHandler(f *testing.F) {
	w, err := fakediscord.New("guild d: #a #b ideas:forum talk:voice Work:category\nmember ada: owner\nmember bob\ndeny #b bob: View Channel\nthread \"t\" in #a")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(w.Close)
	api := userapi.New(w, userapi.Options{})
	f.Cleanup(api.Close)
	a, _ := w.Channel("a")
	ideas, _ := w.Channel("ideas")
	m, err := w.Say("ada", "#a", "hello", fakediscord.Attaching("x.png", "image/png", []byte("x")))
	if err != nil {
		f.Fatal(err)
	}
	// IDs are different in every process, so the inputs have names for them.
	named := strings.NewReplacer("CHANNEL", string(a.ID), "FORUM", string(ideas.ID), "MESSAGE", string(m.ID), "FILE", m.Attachments[0].ID)
	const in, at = "/api/channels/CHANNEL", "/api/channels/CHANNEL/messages/MESSAGE"
	form := "--b\r\nContent-Disposition: form-data; name=payload\r\n\r\n{}\r\n--b\r\nContent-Disposition: form-data; name=files; filename=x\r\n\r\nx\r\n--b--"
	for _, seed := range [][5]string{
		{"GET", "/api/world", "as=bob", "", ""},
		{"GET", "/api/events", "as=bob", "", ""},
		{"GET", in + "/messages", "as=bob&before=MESSAGE&limit=3", "", ""},
		{"POST", in + "/messages", "as=bob", "application/json", `{"content":"x","replyTo":"MESSAGE"}`},
		{"POST", in + "/messages", "as=bob", "multipart/form-data; boundary=b", form},
		{"PATCH", at, "as=ada", "", `{"content":"y"}`},
		{"DELETE", at, "as=bob", "", ""},
		{"PUT", at + "/reactions/%F0%9F%91%8D", "as=ada", "", ""},
		{"DELETE", at + "/reactions/%F0%9F%91%8D", "as=ada", "", ""},
		{"POST", at + "/press", "as=ada", "", `{"button":"x"}`},
		{"POST", in + "/threads", "as=ada", "", `{"name":"x","message":"MESSAGE"}`},
		{"POST", in + "/commands", "as=ada", "", `{"command":"/x y"}`},
		{"GET", in + "/commands", "as=ada", "", ""},
		{"POST", in + "/commands/suggestions", "as=ada", "", `{"command":"/x y"}`},
		{"POST", at + "/commands", "as=ada", "", `{"command":"x"}`},
		{"POST", in + "/forms", "as=ada", "", `{"form":"x","values":{"y":"z"}}`},
		{"POST", "/api/channels/FORUM/threads", "as=ada", "", `{"name":"x","content":"y","tags":["1"]}`},
		{"GET", "/attachments/CHANNEL/FILE/x.png", "", "", ""},
		{"GET", "/api/%zz/..%2f..//", "as=%zz;&as", "multipart/form-data; boundary=\"", "\x00"},
		{"", "", "", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	// A stream would wait for events.
	over, cancel := context.WithCancel(context.Background())
	cancel()
	f.Fuzz(func(t *testing.T, method, path, query, kind, body string) {
		path, query, body = named.Replace(path), named.Replace(query), named.Replace(body)
		plain, err := url.PathUnescape(path)
		if err != nil {
			plain = path
		}
		req := (&http.Request{
			Method: method, URL: &url.URL{Path: plain, RawPath: path, RawQuery: query}, Host: "localhost",
			Header: http.Header{"X-Discoclaw": {"play"}, "Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)),
		}).WithContext(over)
		got := httptest.NewRecorder()
		api.ServeHTTP(got, req)
		statuses := []int{200, 204, 206, 400, 403, 404, 405, 413}
		if strings.HasPrefix(plain, "/attachments/") {
			statuses = append(statuses, 304, 412, 416) // further statuses of files
		}
		if !slices.Contains(statuses, got.Code) {
			t.Errorf("status %d: %s", got.Code, got.Body)
		}
		if got.Header().Get("Content-Type") == "application/json" && !json.Valid(got.Body.Bytes()) {
			t.Errorf("the answer is no JSON: %s", got.Body)
		}
		var refusal struct{ Error string }
		if got.Code >= 400 && (json.Unmarshal(got.Body.Bytes(), &refusal) != nil || refusal.Error == "") {
			t.Errorf("status %d without a sentence: %s", got.Code, got.Body)
		}
	})
}
