// Package discordtest gives tests a Discord of their own.
//
// New builds a world from a layout and serves it in memory, so that a test can run
// in a testing/synctest bubble. Point the code under test at APIURL with HTTP and Token,
// let members write, and inspect the world afterwards.
//
// Every request and every response is validated against Discord's own description of its
// API. A test fails if one of them is invalid, and also if the code under test
// uses a part of the API that is not built.
package discordtest

import (
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/memnet"
)

// A World is a fakediscord.World that is being served for one test.
type World struct {
	*fakediscord.World
	t        testing.TB
	listener *memnet.Listener
	calls    atomic.Pointer[fakevoice.Server]
}

// address is the URL of every World. Clients made by HTTP reach it.
const address = "http://fake.discord"

// callHost is where the calls of a World are, once there are any.
const callHost = "calls.fake.discord"

// today is the time that a bubble's clock is set to, which otherwise starts long before
// Discord's epoch.
var today = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// New serves a world until the test ends. Inside a bubble it must come before
// anything that uses the clock, because it sets that.
func New(t testing.TB, layout string) *World {
	t.Helper()
	if wait := time.Until(today); wait > 10*365*24*time.Hour {
		time.Sleep(wait)
	}
	inner, err := fakediscord.New(layout)
	if err != nil {
		t.Fatalf("build the world: %v", err)
	}
	inner.SetURL(address)
	Check(t)(inner)
	w := &World{World: inner, t: t, listener: memnet.New()}
	if _, measured := t.(*testing.B); !measured && os.Getenv("DISCOCLAW_SHAKE") != "0" {
		w.listener.Before = hesitate
	}
	discord := inner.Handler()
	server := &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if calls := w.calls.Load(); calls != nil && r.Host == callHost {
			calls.ServeHTTP(out, r)
			return
		}
		discord.ServeHTTP(out, r)
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(w.listener) // ends with Close below
	}()
	t.Cleanup(func() {
		inner.Close()
		_ = server.Close() // nothing to lose in memory
		<-served
	})
	return w
}

// hesitate yields now and then, for a while, so that an accidental order of goroutines
// changes.
func hesitate() {
	if rand.IntN(2) == 0 {
		for range rand.IntN(50) {
			runtime.Gosched()
		}
	}
}

// UseCalls gives the voice channels of the world a server for calls until the test ends, and returns it.
func (w *World) UseCalls(o fakevoice.Options) *fakevoice.Server {
	w.t.Helper()
	s := fakevoice.New(o)
	w.calls.Store(s)
	s.Serve(w.World, callHost)
	w.t.Cleanup(func() {
		s.Close()
		for _, complaint := range s.Complaints() {
			w.t.Errorf("the voice server complains: %s", complaint)
		}
	})
	return s
}

// HTTP returns a new client that reaches the world under any host.
func (w *World) HTTP() *http.Client { return w.listener.HTTPClient() }

// APIURL is the base of the REST API.
func (w *World) APIURL() string { return address + "/api/v10" }

// AwaitStart lets five seconds pass if a session was started before: no sooner does Discord start another.
func (w *World) AwaitStart() {
	if w.Gateway().Counts().Identifies > 0 {
		time.Sleep(5 * time.Second)
	}
}

// ChannelID is the ID of a channel, which must exist.
func (w *World) ChannelID(name string) chat.ChannelID {
	w.t.Helper()
	c, ok := w.Channel(name)
	if !ok {
		w.t.Fatalf("there is no channel %s", name)
	}
	return c.ID
}

// UserID is the ID of a member, who must exist; "bot" is the bot.
func (w *World) UserID(name string) chat.UserID {
	w.t.Helper()
	m, ok := w.Member(name)
	if !ok {
		w.t.Fatalf("there is no member %s", name)
	}
	return m.ID
}

// MustSay is Say that must succeed.
func (w *World) MustSay(user, channel, text string, options ...fakediscord.SayOption) fakediscord.Message {
	w.t.Helper()
	m, err := w.Say(user, channel, text, options...)
	if err != nil {
		w.t.Fatalf("%s says %q in %s: %v", user, text, channel, err)
	}
	return m
}

// RequireTranscript fails the test unless the transcript of all channels is want. Space
// around want does not matter, and tabs before its lines are removed, so that it can be
// indented like code.
func (w *World) RequireTranscript(t testing.TB, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(want), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	if diff := cmp.Diff(lines, strings.Split(strings.TrimSpace(w.Transcript()), "\n")); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}
