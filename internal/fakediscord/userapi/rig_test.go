package userapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/userapi"
	"discoclaw/internal/memnet"
)

// A rig is a world with the API in front of it, served in memory: members use the API,
// the bot uses Discord's.
type rig struct {
	*discordtest.World
	t      *testing.T
	api    *userapi.Handler
	client *http.Client
}

// bubble runs a test on a rig with fake time.
func bubble(t *testing.T, layout string, f func(r *rig)) {
	t.Helper()
	bubbleWith(t, layout, userapi.Options{}, f)
}

func bubbleWith(t *testing.T, layout string, o userapi.Options, f func(r *rig)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, layout)
		r := &rig{World: w, t: t, api: userapi.New(w.World, o)}
		listener := memnet.New()
		server := &http.Server{Handler: r.api}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(listener) // until it is closed
		}()
		r.client = listener.HTTPClient()
		t.Cleanup(func() {
			r.api.Close()
			_ = server.Close()
			<-served
			// net/http keeps a connection for half a second after a request that it
			// did not read to the end.
			time.Sleep(time.Second)
		})
		f(r)
		synctest.Wait() // goroutines that act as the bot
	})
}

// A reply is a response.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   string
}

// request is a request as the page makes it.
func (r *rig) request(method, path, kind string, body io.Reader) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://localhost"+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-Discoclaw", "play")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	return req
}

func (r *rig) do(req *http.Request) reply {
	r.t.Helper()
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return reply{r.t, req.Method + " " + req.URL.RequestURI(), resp.StatusCode, resp.Header, string(body)}
}

func (r *rig) send(method, path, body string) reply {
	r.t.Helper()
	return r.do(r.request(method, path, "application/json", strings.NewReader(body)))
}

// want checks the status, and that the answer is JSON, and returns it.
func (p reply) want(status int) map[string]any {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("%s: status %d: %s; want %d", p.what, p.status, p.body, status)
	}
	if p.status == http.StatusNoContent {
		return nil
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(p.body), &got); err != nil {
		p.t.Fatalf("%s: %v in %s", p.what, err, p.body)
	}
	if p.header.Get("Content-Type") != "application/json" {
		p.t.Errorf("%s: Content-Type %q", p.what, p.header.Get("Content-Type"))
	}
	return got
}

// refused checks the status and that the sentence has a part.
func (p reply) refused(status int, part string) {
	p.t.Helper()
	sentence, _ := p.want(status)["error"].(string)
	if !strings.Contains(sentence, part) || sentence == "" {
		p.t.Errorf("%s: the sentence is %q, want one with %q", p.what, sentence, part)
	}
}

// in is the path of something in a channel, for a member.
func (r *rig) in(channel, rest, as string) string {
	r.t.Helper()
	return "/api/channels/" + string(r.ChannelID(channel)) + rest + "?as=" + as
}

// at is the path of something about a message, for a member.
func at(m fakediscord.Message, rest, as string) string {
	return "/api/channels/" + string(m.Channel) + "/messages/" + string(m.ID) + rest + "?as=" + as
}

// bot sends a request as the bot, over Discord's API.
func (r *rig) bot(method, path string, body any) map[string]any {
	r.t.Helper()
	var payload io.Reader
	if body != nil {
		payload = strings.NewReader(text(body))
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.APIURL()+path, payload)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+r.Token())
	req.Header.Set("Content-Type", "application/json")
	resp, err := r.HTTP().Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode > 299 {
		r.t.Fatalf("%s %s: status %d: %s %v", method, path, resp.StatusCode, data, err)
	}
	var got map[string]any
	if len(data) > 0 {
		if err := json.Unmarshal(data, &got); err != nil {
			r.t.Fatal(err)
		}
	}
	return got
}

// botSays posts as the bot and returns the message.
func (r *rig) botSays(channel string, more map[string]any) fakediscord.Message {
	r.t.Helper()
	body := map[string]any{"content": "hi", "allowed_mentions": map[string]any{"parse": []string{}}}
	for key, value := range more {
		body[key] = value
	}
	got := r.bot("POST", "/channels/"+string(r.ChannelID(channel))+"/messages", body)
	m, ok := r.Message(chat.MessageID(got["id"].(string)))
	if !ok {
		r.t.Fatal("the bot's message is not there")
	}
	return m
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// A file is a part of a form.
type file struct{ field, name, kind, data string }

func form(t testing.TB, payload string, files ...file) (kind string, body *bytes.Buffer) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	if payload != "" {
		if err := w.WriteField("payload", payload); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", multipart.FileContentDisposition(f.field, f.name))
		if f.kind != "" {
			h.Set("Content-Type", f.kind)
		}
		part, err := w.CreatePart(h)
		if err == nil {
			_, err = part.Write([]byte(f.data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), body
}

// An event is one of a stream.
type event struct{ id, name, data string }

// decode reads the data of an event.
func (e event) decode(t testing.TB) map[string]any {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(e.data), &got); err != nil {
		t.Fatalf("%s: %v in %s", e.name, err, e.data)
	}
	return got
}

// A page reads a stream.
type page struct {
	t        testing.TB
	response *http.Response
	events   chan event
	comments chan string
	ended    chan error
	hangUp   context.CancelFunc
}

// listen opens a stream, and reads it until it ends.
func (r *rig) listen(as string) *page {
	r.t.Helper()
	p := r.open(as)
	go p.read()
	synctest.Wait()
	return p
}

// open opens a stream and reads nothing of it.
func (r *rig) open(as string) *page {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	resp, err := r.client.Do(r.request("GET", "/api/events?as="+as, "", nil).WithContext(ctx))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { cancel(); _ = resp.Body.Close() })
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || kind != "text/event-stream" {
		r.t.Fatalf("status %d, Content-Type %q", resp.StatusCode, kind)
	}
	return &page{
		t: r.t, response: resp, events: make(chan event, 5000), comments: make(chan string, 100),
		ended: make(chan error, 1), hangUp: cancel,
	}
}

func (p *page) read() {
	lines := bufio.NewScanner(p.response.Body)
	lines.Buffer(nil, 1<<20)
	var e event
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if value != "" {
				p.comments <- value
			} else if e != (event{}) {
				p.events <- e
				e = event{}
			}
		}
	}
	p.ended <- lines.Err()
}

// heard are the events since it was last called.
func (p *page) heard() []event {
	synctest.Wait()
	var all []event
	for {
		select {
		case e := <-p.events:
			all = append(all, e)
		default:
			return all
		}
	}
}

// told are the events since the last call, a few words for each.
func (p *page) told() string {
	var out []string
	for _, e := range p.heard() {
		out = append(out, e.brief(p.t))
	}
	return strings.Join(out, "; ")
}

func (e event) brief(t testing.TB) string {
	d := e.decode(t)
	switch e.name {
	case "message":
		return fmt.Sprintf("message %v", d["content"])
	case "channel":
		return fmt.Sprintf("channel %v", d["name"])
	case "typing":
		return fmt.Sprintf("typing %v", d["name"])
	default:
		return e.name
	}
}
