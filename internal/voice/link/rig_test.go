package link_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
)

// The people of the tests. The bot is one of them.
const (
	bot = 100 + iota
	ada
	bob
	cleo
)

const guild, channel = 7, 8

// frameTime is how long a frame lasts.
const frameTime = 20 * time.Millisecond

// A hall is a voice server with the calls that clients have there.
type hall struct {
	*fakevoice.Server
	t    testing.TB
	http *http.Client
	log  lines
}

// inHall runs a test in a hall with its own time.
func inHall(t *testing.T, o fakevoice.Options, test func(t *testing.T, h *hall)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, newHall(t, o)) })
}

func newHall(t testing.TB, o fakevoice.Options) *hall {
	t.Helper()
	h := &hall{t: t}
	o.Trace = func(line string) { fmt.Fprintln(&h.log, line) }
	h.Server, h.http = fakevoice.Start(t, o)
	t.Cleanup(func() {
		if t.Failed() && testing.Verbose() {
			t.Log(&h.log)
		}
	})
	return h
}

// at is how a user comes to the call.
func (h *hall) at(user uint64) link.Server {
	n := fmt.Sprint(user)
	h.Admit(fakevoice.Ticket{Guild: guild, Channel: channel, User: user, Session: "session-" + n, Token: "token-" + n})
	return link.Server{Endpoint: "voice.test", Token: "token-" + n, Session: "session-" + n, Guild: guild, Channel: channel, Self: user}
}

// options are those of a client that reaches the hall.
func (h *hall) options() link.Options {
	h.t.Helper()
	id, err := dave.NewIdentity()
	if err != nil {
		h.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(&h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return link.Options{Identity: id, HTTP: h.http, DialUDP: h.DialUDP, Log: log}
}

// joinWait is as long as people wait for the bot.
const joinWait = 20 * time.Second

// dial has a user join, as far as that goes.
func (h *hall) dial(user uint64) (*guest, error) {
	ctx, cancel := context.WithTimeout(h.t.Context(), joinWait)
	defer cancel()
	call, err := link.Dial(ctx, h.at(user), h.options())
	if err != nil {
		return nil, err
	}
	return h.listen(user, call), nil
}

// join has a user join who is let in.
func (h *hall) join(user uint64) *guest {
	h.t.Helper()
	g, err := h.dial(user)
	if err != nil {
		h.t.Fatalf("user %d: %v\n%s", user, err, &h.log)
	}
	return g
}

// joinLater has a user join who is let in after a while.
func (h *hall) joinLater(user uint64) <-chan *guest {
	joined := make(chan *guest, 1)
	go func() { joined <- h.join(user) }()
	return joined
}

// A guest is somebody in a call, and what they have heard.
type guest struct {
	*link.Call
	t    testing.TB
	user uint64

	mu    sync.Mutex
	heard []link.Frame
	done  chan struct{}
}

func (h *hall) listen(user uint64, call *link.Call) *guest {
	g := &guest{Call: call, t: h.t, user: user, done: make(chan struct{})}
	go func() {
		defer close(g.done)
		for f := range call.Frames() {
			g.mu.Lock()
			g.heard = append(g.heard, f)
			g.mu.Unlock()
		}
	}()
	h.t.Cleanup(g.leave)
	return g
}

func (g *guest) leave() {
	if g.Call == nil {
		return
	}
	g.Close()
	<-g.done
}

// say sends frames with texts, one every 20 ms, and returns how many could not be sent.
func (g *guest) say(frames ...string) (held int) {
	g.t.Helper()
	g.Speaking(true)
	time.Sleep(frameTime)
	for _, f := range frames {
		switch err := g.Send([]byte(f)); {
		case errors.Is(err, link.ErrNotReady):
			held++
		case err != nil:
			g.t.Errorf("user %d: send: %v", g.user, err)
		}
		time.Sleep(frameTime)
	}
	return held
}

// count is a number of frames.
func count(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return all
}

// takeHeard returns what was heard of a user since the last call, without silence. A lost frame is "?".
func (g *guest) takeHeard(of uint64) (texts []string) {
	time.Sleep(time.Second) // for what is on the way
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heard = slices.DeleteFunc(g.heard, func(f link.Frame) bool {
		switch {
		case f.User != of:
			return false
		case f.Opus == nil:
			texts = append(texts, "?")
		case !bytes.Equal(f.Opus, link.Silence):
			texts = append(texts, string(f.Opus))
		}
		return true
	})
	return texts
}

func (g *guest) requireHeard(of uint64, want []string) {
	g.t.Helper()
	if got := g.takeHeard(of); !slices.Equal(got, want) {
		g.t.Errorf("user %d heard of %d: %s\nwant %s", g.user, of, strings.Join(got, " "), strings.Join(want, " "))
	}
}

// requireTalk fails unless everybody hears everybody, without a loss.
func (h *hall) requireTalk(all ...*guest) {
	h.t.Helper()
	for _, speaker := range all {
		words := count(fmt.Sprintf("hello from %d, ", speaker.user), 10)
		if held := speaker.say(words...); held > 0 {
			h.t.Errorf("user %d could not say %d frames", speaker.user, held)
		}
		for _, listener := range all {
			if listener != speaker {
				listener.requireHeard(speaker.user, words)
			}
		}
	}
}

// requireOver fails unless the call is over for a reason.
func (g *guest) requireOver(want error) {
	g.t.Helper()
	synctest.Wait()
	now, _ := g.State()
	if !errors.Is(now.Err, want) {
		g.t.Errorf("the call is over with %v, want %v", now.Err, want)
	}
	if err := g.Send(link.Silence); !errors.Is(err, link.ErrNotReady) {
		g.t.Errorf("Send returned %v", err)
	}
}

// ssrcOf is the stream of a user that was heard last.
func (g *guest) ssrcOf(user uint64) uint32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range slices.Backward(g.heard) {
		if f.User == user {
			return f.SSRC
		}
	}
	return 0
}

// lines is a log that can be looked at.
type lines struct {
	mu    sync.Mutex
	text  strings.Builder
	quiet bool
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quiet {
		return len(p), nil
	}
	return fmt.Fprintf(&l.text, "%s %s", time.Now().Format("05.000"), p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// roads lets a client reach several halls, by their names and by UDP.
func roads(o *link.Options, to map[string]*hall) {
	var last *hall
	o.HTTP = &http.Client{Transport: road(func(r *http.Request) (*http.Response, error) {
		last = to[r.URL.Hostname()]
		return last.http.Transport.RoundTrip(r)
	})}
	o.DialUDP = func(ctx context.Context, addr string) (net.Conn, error) { return last.DialUDP(ctx, addr) }
}

type road func(*http.Request) (*http.Response, error)

func (r road) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }
