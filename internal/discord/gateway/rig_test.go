package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/memnet"
)

const (
	token   = "secret-token"
	intents = 1<<9 | 1<<15 // GUILD_MESSAGES, MESSAGE_CONTENT

	// settled is time enough for a client to reconnect after one or two faults.
	settled = 30 * time.Second
)

// bubble runs a test with fake time, in parallel with others.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// A rig is a fake gateway on a network of its own.
type rig struct {
	t    testing.TB
	fake *fakegateway.Server
	net  *memnet.Listener
	log  lines

	mu         sync.Mutex
	wishes     []string // presence and voice commands of clients
	identifies []time.Time
	refuseWith int // close code for IDENTIFYs
	located    int
	locate     func() (gateway.Location, error)
}

func newRig(t testing.TB) *rig {
	r := &rig{t: t, locate: func() (gateway.Location, error) {
		return gateway.Location{URL: "ws://gateway.test"}, nil
	}}
	r.fake = fakegateway.New(fakegateway.Options{
		Identify:   r.identify,
		Presence:   func(p fakegateway.Presence) { r.wish("presence " + show(p)) },
		VoiceState: func(v fakegateway.VoiceState) { r.wish("voice " + where(v)) },
		URL:        func() string { return "ws://resume.test" },
		Strict:     true,
	})
	r.net = serve(t, r.fake)
	t.Cleanup(r.fake.Close)
	return r
}

// serve serves a handler in memory until the test ends.
func serve(t testing.TB, h http.Handler) *memnet.Listener {
	l := memnet.New()
	srv := &http.Server{Handler: h}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(l) })
	t.Cleanup(func() {
		srv.Close()
		serving.Wait()
	})
	return l
}

func (r *rig) identify(who fakegateway.Identify) (map[string]any, []fakegateway.Event, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.identifies = append(r.identifies, time.Now())
	if who.Presence != nil {
		r.wishes = append(r.wishes, "identify as "+show(*who.Presence))
	}
	if who.Token != token {
		return nil, nil, 4004
	}
	return map[string]any{"user": map[string]any{"id": "1"}}, nil, r.refuseWith
}

func (r *rig) options() gateway.Options {
	return gateway.Options{
		Token: token, Intents: intents, HTTP: r.net.HTTPClient(), Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Locate: func(context.Context) (gateway.Location, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.located++
			return r.locate()
		},
	}
}

// locateAt sets what Locate returns.
func (r *rig) locateAt(url string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.locate = func() (gateway.Location, error) { return gateway.Location{URL: url}, err }
}

// start runs a client with the usual options and lets it connect.
func (r *rig) start() *running {
	r.t.Helper()
	return r.startWith(r.options())
}

func (r *rig) startWith(o gateway.Options) *running {
	r.t.Helper()
	run := launch(r.t, o)
	synctest.Wait()
	return run
}

// message dispatches an event on the fake and fails unless the client handles it in the end: the
// proof that it is up.
func (r *rig) message(run *running, text string) {
	r.t.Helper()
	r.fake.Dispatch(1<<9, fakegateway.Event{Name: "MESSAGE_CREATE", Data: map[string]any{"content": text}})
	time.Sleep(settled)
	synctest.Wait()
	if heard := run.messages(); !slices.Contains(heard, text) {
		r.t.Errorf("message %q was not handled; handled %q\nlog:\n%s", text, heard, &r.log)
	}
}

func (r *rig) requireCounts(identifies, resumes int) {
	r.t.Helper()
	got := r.fake.Counts()
	if got.Identifies != identifies || got.Resumes != resumes {
		r.t.Errorf("%d IDENTIFYs and %d RESUMEs, want %d and %d\nlog:\n%s",
			got.Identifies, got.Resumes, identifies, resumes, &r.log)
	}
}

// requireSpacing fails if IDENTIFYs came closer together than Discord allows.
func (r *rig) requireSpacing() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := 1; i < len(r.identifies); i++ {
		if gap := r.identifies[i].Sub(r.identifies[i-1]); gap < 5*time.Second {
			r.t.Errorf("IDENTIFY %d came %v after the one before", i+1, gap)
		}
	}
}

// A running is a client that runs, and the events it has handled.
type running struct {
	t      testing.TB
	client *gateway.Client
	cancel context.CancelFunc
	done   chan struct{}
	err    error // when done

	mu     sync.Mutex
	events []gateway.Event
}

func launch(t testing.TB, o gateway.Options) *running {
	ctx, cancel := context.WithCancel(context.Background())
	run := &running{t: t, client: gateway.New(o), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(run.done)
		run.err = run.client.Run(ctx, run.handle)
	}()
	t.Cleanup(run.stop)
	return run
}

func (run *running) handle(e gateway.Event) {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.events = append(run.events, e)
}

// stop ends the client and waits for it.
func (run *running) stop() {
	run.cancel()
	<-run.done
}

func (run *running) heard() []gateway.Event {
	run.mu.Lock()
	defer run.mu.Unlock()
	return slices.Clone(run.events)
}

func (run *running) names() []string {
	var names []string
	for _, e := range run.heard() {
		names = append(names, e.Name)
	}
	return names
}

func (run *running) messages() []string {
	var texts []string
	for _, e := range run.heard() {
		var m struct{ Content string }
		if e.Name == "MESSAGE_CREATE" && json.Unmarshal(e.Data, &m) == nil {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// requireRunning fails if the client has ended.
func (run *running) requireRunning() {
	run.t.Helper()
	synctest.Wait()
	select {
	case <-run.done:
		run.t.Fatalf("Run ended: %v", run.err)
	default:
	}
}

// requireError waits for the end of the client and returns its error.
func (run *running) requireError() error {
	run.t.Helper()
	select {
	case <-run.done:
	case <-time.After(time.Hour):
		run.t.Fatal("Run did not end")
	}
	switch {
	case run.err == nil:
		run.t.Fatal("Run ended without an error")
	case strings.Contains(run.err.Error(), token):
		run.t.Error("the error holds the token")
	}
	return run.err
}

func (run *running) requireCloseError(code int) {
	run.t.Helper()
	closed, ok := errors.AsType[*gateway.CloseError](run.requireError())
	if !ok || closed.Code != code {
		run.t.Errorf("Run ended with %v, want a close error %d", run.err, code)
	}
}

// lines is a log in memory.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
