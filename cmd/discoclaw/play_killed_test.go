package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
)

// A playing is a playground in a process of its own, with a client of its page.
type playing struct {
	testing.TB
	ctx context.Context
	cmd *exec.Cmd
	url string
	key *http.Cookie
}

// playOn starts a playground on the world of a file.
func playOn(t testing.TB, file string) *playing {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	p := &playing{TB: t, ctx: ctx, cmd: exec.Command(self(t), "play", "--listen", "127.0.0.1:0", "--world", file)}
	p.cmd.Args[0] = "discoclaw"
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = filepath.Dir(file), []string{"TMPDIR=" + t.TempDir()}, t.Output()
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), "playground is at ")
	if err != nil || !found {
		t.Fatalf("it said %q, %v", line, err)
	}
	stay := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := stay.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	p.url, p.key = address[:strings.Index(address, "/?")], resp.Cookies()[0]
	return p
}

// kill ends the process at once, as kill -9 does.
func (p *playing) kill() {
	_ = p.cmd.Process.Kill() // it may have been killed before
	_ = p.cmd.Wait()
}

// open sends a request as the owner of the server.
func (p *playing) open(method, path, body string) io.ReadCloser {
	p.Helper()
	req, err := http.NewRequestWithContext(p.ctx, method, p.url+path+"?as=you", strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("X-Discoclaw", "play")
	req.Header.Set("Content-Type", "application/json")
	req.AddCookie(p.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		p.Fatalf("%s %s: %s", method, path, resp.Status)
	}
	return resp.Body
}

func (p *playing) get(path string, into any) {
	p.Helper()
	body := p.open("GET", path, "")
	defer body.Close()
	if err := json.NewDecoder(body).Decode(into); err != nil {
		p.Fatal(err)
	}
}

// messages are the texts in a channel, each behind its author's name. A message that is still being written is left out.
func (p *playing) messages(channel string) []string {
	p.Helper()
	var all struct {
		Messages []struct {
			Author  struct{ Name string }
			Content string
			Buttons [][]struct{ Label string }
		}
	}
	p.get(p.channel(channel)+"/messages", &all)
	var texts []string
	for _, m := range all.Messages {
		if len(m.Buttons) == 0 || m.Buttons[0][0].Label != chat.StopLabel {
			texts = append(texts, m.Author.Name+": "+m.Content)
		}
	}
	return texts
}

// channel is the address of a channel.
func (p *playing) channel(name string) string {
	p.Helper()
	var world struct {
		Channels []struct{ ID, Name string }
	}
	p.get("/api/world", &world)
	for _, ch := range world.Channels {
		if ch.Name == name {
			return "/api/channels/" + ch.ID
		}
	}
	p.Fatalf("there is no channel %s", name)
	return ""
}

func (p *playing) say(text string) {
	p.Helper()
	p.open("POST", p.channel("general")+"/messages", fmt.Sprintf(`{"content":%q}`, text)).Close()
}

// events are the events of the world from now on.
func (p *playing) events() *bufio.Scanner {
	p.Helper()
	stream := bufio.NewScanner(p.open("GET", "/api/events", ""))
	stream.Buffer(nil, 1<<20)
	for stream.Scan() {
		if stream.Text() == "event: hello" {
			return stream
		}
	}
	p.Fatalf("there are no events: %v", stream.Err())
	return nil
}

// until waits until the bot has written a text in #general so many times. The stream is of a time before that.
func (p *playing) until(stream *bufio.Scanner, text string, times int) {
	p.Helper()
	for count(p.messages("general"), "DiscoClaw: "+text) < times {
		if !stream.Scan() {
			p.Fatalf("%q does not come: %v in %q", text, stream.Err(), p.messages("general"))
		}
	}
}

// count counts the texts that have a part.
func count(texts []string, part string) (n int) {
	for _, text := range texts {
		if strings.Contains(text, part) {
			n++
		}
	}
	return n
}

// writing begins the demonstration's answer to a request for a message elsewhere.
const writing = "Posting it in #"

// TestAKilledPlaygroundLosesNothing kills a playground at every event of an answer, and at once after a message.
func TestAKilledPlaygroundLosesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "world.json")
	p := playOn(t, file)
	stream := p.events()
	p.say("!memory remember I live in Ulm")
	p.until(stream, "Remembered “I live in Ulm”", 1)
	const kills = 6 // an answer has five events
	for n := range kills {
		stream := p.events()
		p.say(fmt.Sprintf("say run %d in #ops", n))
		for seen := 0; seen < n; {
			if !stream.Scan() {
				t.Fatalf("run %d: %v", n, stream.Err())
			}
			if strings.HasPrefix(stream.Text(), "event: message") {
				seen++
			}
		}
		p.kill()
		p = playOn(t, file)
		stream = p.events()
		asked := count(p.messages("general"), fmt.Sprintf("you: say run %d in #ops", n))
		if asked != 1 {
			t.Fatalf("run %d was asked for %d times", n, asked)
		}
		p.until(stream, writing, n+1)
	}
	stream = p.events()
	p.say("what do you know about me?")
	p.until(stream, "What I remember about you:\n- I live in Ulm", 1) // the bot's data was kept
	ops, general := p.messages("ops"), p.messages("general")
	for n := range kills {
		if posted := count(ops, fmt.Sprintf("DiscoClaw: run %d", n)); posted != 1 {
			t.Errorf("run %d was posted %d times in %q", n, posted, ops)
		}
	}
	if answers := count(general, "DiscoClaw: "+writing); answers != kills {
		t.Errorf("%d answers to %d requests in %q", answers, kills, general)
	}
}
