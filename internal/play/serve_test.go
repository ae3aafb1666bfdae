package play_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/play"
)

// A visit is a playground that serves its page.
type visit struct {
	*testing.T
	url   string
	key   *http.Cookie
	stop  context.CancelFunc
	ended chan error
}

func visiting(t *testing.T, o play.Options) *visit {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	v := &visit{T: t, stop: stop, ended: make(chan error, 1)}
	ready := make(chan string, 1)
	o.Out, o.Ready, o.Demo, o.Watch = &bytes.Buffer{}, func(url string) { ready <- url }, o.Env == nil, discordtest.Check(t)
	go func() { v.ended <- play.Serve(ctx, o) }()
	select {
	case address := <-ready:
		v.enter(address)
	case err := <-v.ended:
		t.Fatalf("it did not open: %v", err)
	}
	t.Cleanup(stop)
	return v
}

// enter opens an address with its key, as a browser does.
func (v *visit) enter(address string) {
	v.Helper()
	stay := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := stay.Get(address)
	if err != nil {
		v.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		v.Fatalf("%s: %d with %d cookies", address, resp.StatusCode, len(resp.Cookies()))
	}
	v.url, v.key = address[:strings.Index(address, "/?")], resp.Cookies()[0]
}

// leave ends the playground, which must succeed.
func (v *visit) leave() {
	v.Helper()
	v.stop()
	if err := <-v.ended; err != nil {
		v.Error(err)
	}
}

// ask sends a request to the API as the page does.
func (v *visit) ask(method, path, body string, into any) {
	v.Helper()
	req, err := http.NewRequestWithContext(v.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	req.Header.Set("X-Discoclaw", "play")
	req.AddCookie(v.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		v.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, text, err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			v.Fatalf("%s: %v", text, err)
		}
	}
}

// channel is the ID of a channel.
func (v *visit) channel(name string) string {
	v.Helper()
	var world struct {
		Channels []struct{ ID, Name string }
	}
	v.ask("GET", "/api/world?as=you", "", &world)
	for _, ch := range world.Channels {
		if ch.Name == name {
			return ch.ID
		}
	}
	v.Fatalf("there is no channel %s in %+v", name, world)
	return ""
}

// TestWithoutItsKeyThePlaygroundIsClosed: on a machine of several people, each could speak as the other.
func TestWithoutItsKeyThePlaygroundIsClosed(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{})
	defer v.leave()
	other := visiting(t, play.Options{})
	defer other.leave()
	for _, path := range []string{"/", "/?key=", "/?key=guessed", "/main.js", "/api/about", "/api/ideas", "/api/clock", "/api/world?as=you", "/api/events?as=you", "/attachments/1/2/3", "/nothing"} {
		for _, cookie := range []*http.Cookie{nil, {Name: v.key.Name, Value: "guessed"}, {Name: v.key.Name, Value: other.key.Value}} {
			req, err := http.NewRequestWithContext(t.Context(), "GET", v.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Discoclaw", "play")
			if cookie != nil {
				req.AddCookie(cookie)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %v: %d", path, cookie, resp.StatusCode)
			}
		}
	}
}

// TestOtherPagesCannotMoveTheClock: a page at another port of this machine would send the cookie, but not the header.
func TestOtherPagesCannotMoveTheClock(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{})
	defer v.leave()
	req, err := http.NewRequestWithContext(t.Context(), "POST", v.url+"/api/clock", strings.NewReader(`{"to":"day"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(v.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	var clock struct{ AheadMs int }
	v.ask("GET", "/api/clock", "", &clock)
	if resp.StatusCode != http.StatusForbidden || clock.AheadMs != 0 {
		t.Errorf("%d, and the clock is %d ms ahead", resp.StatusCode, clock.AheadMs)
	}
	v.ask("POST", "/api/clock", `{"to":"hour"}`, &clock)
	if clock.AheadMs != 3600000 {
		t.Errorf("the clock is %d ms ahead", clock.AheadMs)
	}
}

func TestTwoPlaygroundsRunSideBySide(t *testing.T) {
	one, two := visiting(t, play.Options{}), visiting(t, play.Options{})
	if one.url == two.url {
		t.Errorf("both are at %s", one.url)
	}
	for _, v := range []*visit{one, two} {
		var about struct {
			Demo    bool
			Speaker string
		}
		v.ask("GET", "/api/about", "", &about)
		if !about.Demo || !strings.Contains(about.Speaker, "script") {
			t.Errorf("%+v", about)
		}
		v.leave()
	}
}

func TestAWorldIsKeptInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "world.json")
	v := visiting(t, play.Options{Layout: small, World: file})
	general := v.channel("general")
	v.ask("POST", "/api/channels/"+general+"/messages?as=zed", `{"content":"remember me"}`, nil)
	v.leave()

	v = visiting(t, play.Options{World: file})
	var got struct{ Messages []struct{ Content string } }
	v.ask("GET", "/api/channels/"+v.channel("general")+"/messages?as=you", "", &got)
	if len(got.Messages) != 1 || got.Messages[0].Content != "remember me" {
		t.Errorf("%+v", got)
	}
	v.leave()
}

func TestThePageListensOnLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "192.168.1.1:80", "example.com:80", "8484", ":8484"} {
		err := play.Serve(t.Context(), play.Options{Address: address, Out: io.Discard})
		if err == nil || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestTheBotCanBeRestartedInThePlayground(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{})
	defer v.leave()
	post := "/api/channels/" + v.channel("general") + "/messages?as=you"
	v.ask("POST", post, `{"content":"!restart"}`, nil)
	for said := ""; !strings.Contains(said, "Restarted in"); {
		var all json.RawMessage
		v.ask("GET", post, "", &all)
		said = string(all)
	}
}
