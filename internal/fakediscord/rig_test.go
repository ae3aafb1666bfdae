package fakediscord_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/openapi"
	"discoclaw/internal/fakediscord/save"
)

// logged returns a function that saves what has changed in a world, and checks that a world which is loaded from that
// is the same.
func logged(t testing.TB, w *fakediscord.World) func() error {
	t.Helper()
	var file bytes.Buffer
	log, saves := save.NewLog(w), 0
	if err := log.Whole(&file); err != nil {
		t.Fatal(err)
	}
	change := func() (changed bool) {
		line, err := log.Change()
		if err != nil {
			t.Error(err)
		}
		file.Write(line)
		return len(line) > 0
	}
	return func() error {
		switch saves++; {
		case t.Context().Err() != nil:
			return nil // a poll may end after its test
		case saves > 50 && saves%50 > 0:
			return nil // it would take long
		}
		change()
		is := saved(t, w)
		for change() { // meanwhile
			is = saved(t, w)
		}
		after, err := save.Read(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Errorf("%v in\n%s", err, &file)
			return nil
		}
		defer after.Close()
		if diff := cmp.Diff(is, saved(t, after)); diff != "" {
			t.Errorf("what was saved is not the world (-world +saved):\n%s", diff)
		}
		return nil
	}
}

// A rig is a world with a client that validates every response, and every request that
// is meant to be valid, against Discord's own description of its API.
type rig struct {
	*fakediscord.World
	t   testing.TB
	doc *openapi.Document // nil if the description is not here
}

func newRig(t testing.TB, layout string) *rig {
	t.Helper()
	w, err := fakediscord.New(layout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	w.Keep(logged(t, w))
	doc, why := discordtest.Document(t)
	if doc == nil {
		t.Log(why)
	}
	return &rig{World: w, t: t, doc: doc}
}

// A reply is a response.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// send makes a valid request, which may be refused.
func (r *rig) send(method, path, body string) reply {
	r.t.Helper()
	plain, query, _ := strings.Cut(path, "?")
	kind := ""
	if body != "" {
		kind = "application/json"
	}
	r.checkRequest(method, plain, query, kind, []byte(body))
	return r.sendAnyway(method, path, body)
}

func (r *rig) checkRequest(method, path, query, kind string, body []byte) {
	r.t.Helper()
	if r.doc == nil {
		return
	}
	if err := r.doc.CheckRequest(method, path, query, kind, body); err != nil {
		r.t.Errorf("%s %s: the request does not fit: %v", method, path, err)
	}
}

// sendAnyway makes a request that may be invalid.
func (r *rig) sendAnyway(method, path, body string) reply {
	r.t.Helper()
	return r.sendRaw(method, path, "application/json", strings.NewReader(body))
}

func (r *rig) sendRaw(method, path, kind string, body io.Reader) reply {
	r.t.Helper()
	req := httptest.NewRequestWithContext(r.t.Context(), method, "http://fake.discord/api/v10"+path, body)
	req.Header.Set("Authorization", "Bot "+r.Token())
	req.Header.Set("Content-Type", kind)
	return r.do(req)
}

func (r *rig) do(req *http.Request) reply {
	r.t.Helper()
	rec := httptest.NewRecorder()
	r.Handler().ServeHTTP(rec, req)
	got := reply{t: r.t, status: rec.Code, header: rec.Header(), body: rec.Body.Bytes()}
	if r.doc == nil {
		return got
	}
	path := strings.TrimPrefix(req.URL.EscapedPath(), "/api/v10")
	if err := r.doc.CheckResponse(req.Method, path, got.status, got.body); err != nil {
		r.t.Errorf("%s %s: the answer %d %s does not fit: %v", req.Method, path, got.status, got.body, err)
	}
	return got
}

// want checks the status, and for refusals Discord's code, and returns the answer.
func (r reply) want(status, code int) map[string]any {
	r.t.Helper()
	var got map[string]any
	if len(r.body) > 0 && r.body[0] == '{' {
		if err := json.Unmarshal(r.body, &got); err != nil {
			r.t.Fatal(err)
		}
	}
	gotCode, _ := got["code"].(float64)
	if r.status != status || int(gotCode) != code {
		r.t.Fatalf("status %d, code %d: %s; want %d, %d", r.status, int(gotCode), r.body, status, code)
	}
	return got
}

// list checks that the answer is a list and returns the field of each entry.
func (r reply) list(field string) []string {
	r.t.Helper()
	var got []map[string]any
	if err := json.Unmarshal(r.body, &got); err != nil || r.status != http.StatusOK {
		r.t.Fatalf("status %d: %s: %v", r.status, r.body, err)
	}
	all := []string{}
	for _, entry := range got {
		text, _ := entry[field].(string)
		all = append(all, text)
	}
	return all
}

// in is the path of something in a channel.
func (r *rig) in(channel, rest string) string {
	r.t.Helper()
	c, ok := r.Channel(channel)
	if !ok {
		r.t.Fatalf("there is no channel %s", channel)
	}
	return "/channels/" + string(c.ID) + rest
}

// at is the path of something about a message.
func (r *rig) at(m fakediscord.Message, rest string) string {
	return "/channels/" + string(m.Channel) + "/messages/" + string(m.ID) + rest
}

func (r *rig) say(user, channel, text string, o ...fakediscord.SayOption) fakediscord.Message {
	r.t.Helper()
	m, err := r.Say(user, channel, text, o...)
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

// post has the bot write a message, and returns it.
func (r *rig) post(channel, text string) fakediscord.Message {
	r.t.Helper()
	body := encode(map[string]any{"content": text, "allowed_mentions": map[string]any{"parse": []string{}}})
	return r.message(r.send("POST", r.in(channel, "/messages"), body).want(200, 0))
}

// message is the world's message of a response.
func (r *rig) message(answer map[string]any) fakediscord.Message {
	r.t.Helper()
	id, _ := answer["id"].(string)
	m, ok := r.Message(chat.MessageID(id))
	if !ok {
		r.t.Fatalf("there is no message %s", id)
	}
	return m
}

func (r *rig) user(name string) chat.UserID {
	r.t.Helper()
	m, ok := r.Member(name)
	if !ok {
		r.t.Fatalf("there is no member %s", name)
	}
	return m.ID
}

// must fails the test for an error.
func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func encode(v any) string {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(err)
	}
	return b.String()
}
