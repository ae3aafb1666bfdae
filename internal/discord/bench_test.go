package discord_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// A bench is a fake Discord and a client that is logged in there, in a bubble of fake
// time.
type bench struct {
	*discordtest.World
	client *discord.Client
	heard  *recorder
	before int // requests that logging in took
}

// onBench runs f in a bubble with a client whose server is described.
func onBench(t *testing.T, layout string, f func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, layout)
		b.login(t)
		f(t, b)
	})
}

// offTheAir runs f in a bubble with a client whose server is described and which gets no more
// events: it knows only its own later changes.
func offTheAir(t *testing.T, layout string, f func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, layout)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.client.Run(ctx, b.heard) }()
		synctest.Wait()
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		b.before = len(b.Requests())
		f(t, b)
	})
}

// named is an error's text with names for the channels that it mentions.
func (b *bench) named(err error) string {
	return mention.ReplaceAllStringFunc(fmt.Sprint(err), func(m string) string {
		if ch, ok := b.Channel(m[2 : len(m)-1]); ok {
			return "#" + ch.Name
		}
		return m
	})
}

var mention = regexp.MustCompile("<#[0-9]+>")

func newBench(t *testing.T, layout string) *bench {
	t.Helper()
	w := discordtest.New(t, layout)
	return &bench{World: w, heard: &recorder{}, client: discord.New(discord.Options{
		Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP(),
	})}
}

// login starts Run and waits until the bubble is idle.
func (b *bench) login(t *testing.T) {
	t.Helper()
	b.AwaitStart()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.client.Run(ctx, b.heard) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with: %v", err)
		}
	})
	synctest.Wait()
	if got := b.heard.list(); len(got) == 0 || got[0] != "ready DiscoClaw" {
		t.Fatalf("after login the handler had %q", got)
	}
	b.heard.forget()
	b.before = len(b.Requests())
}

// requests are those since login, as "METHOD route status".
func (b *bench) requests() []string {
	var list []string
	for _, x := range b.Requests()[b.before:] {
		list = append(list, fmt.Sprintf("%s %d", x.Route, x.Status))
	}
	return list
}

// posts counts the requests to send a message.
func (b *bench) count(route string) int {
	n := 0
	for _, x := range b.Requests()[b.before:] {
		if x.Route == route {
			n++
		}
	}
	return n
}

// texts are the messages of a channel, oldest first.
func (b *bench) texts(channel string) []string {
	var list []string
	for _, m := range b.Messages(channel) {
		list = append(list, m.Content)
	}
	return list
}

// send posts a message that must get through.
func (b *bench) send(t *testing.T, channel, text string) chat.MessageID {
	t.Helper()
	id, err := b.client.Send(t.Context(), b.ChannelID(channel), chat.Outgoing{Text: text})
	if err != nil {
		t.Fatalf("send %q to %s: %v", text, channel, err)
	}
	return id
}

// open posts a placeholder.
func (b *bench) open(t *testing.T, channel string) chat.MessageID {
	t.Helper()
	id, err := b.client.Send(t.Context(), b.ChannelID(channel), chat.Outgoing{Text: "thinking", Buttons: []chat.Button{{ID: "stop:1", Label: chat.StopLabel}}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// message is a message that must be there.
func (b *bench) message(t *testing.T, id chat.MessageID) fakediscord.Message {
	t.Helper()
	m, ok := b.Message(id)
	if !ok {
		t.Fatalf("there is no message %s", id)
	}
	return m
}

// A recorder is a Handler that records its calls.
type recorder struct {
	discordtest.Deaf

	count func() int // of all requests so far; may be nil

	mu       sync.Mutex
	events   []string
	times    []time.Time // of the events
	requests []int       // that had been made by then
	messages []chat.Message
	presses  []chat.Press
	reacted  []chat.Reacted
	places   []chat.Place
	threads  []chat.ChannelID
}

func (r *recorder) note(event string, change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events, r.times = append(r.events, event), append(r.times, time.Now())
	if r.count != nil {
		r.requests = append(r.requests, r.count())
	}
	change()
}

func (r *recorder) Ready(self chat.User) { r.note("ready "+self.Name, func() {}) }

func (r *recorder) GuildAvailable(g chat.GuildID) { r.note("available "+string(g), func() {}) }

func (r *recorder) Message(_ context.Context, m chat.Message) {
	r.note(m.Author.Name+": "+m.Text, func() { r.messages = append(r.messages, m) })
}

func (r *recorder) Edited(_ context.Context, m chat.Message) {
	r.note(m.Author.Name+" edited: "+m.Text, func() { r.messages = append(r.messages, m) })
}

func (r *recorder) Deleted(_ context.Context, p chat.Place) {
	r.note("deleted", func() { r.places = append(r.places, p) })
}

func (r *recorder) Pressed(_ context.Context, p chat.Press) {
	r.note(p.User.Name+" pressed "+p.Button, func() { r.presses = append(r.presses, p) })
}

func (r *recorder) Reacted(_ context.Context, re chat.Reacted) {
	did := " reacted with "
	if re.Removed {
		did = " took back "
	}
	r.note(string(re.User.ID)+did+string(re.Emoji), func() { r.reacted = append(r.reacted, re) })
}

func (r *recorder) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

func (r *recorder) reactions() []chat.Reacted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.reacted)
}

func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events, r.times, r.requests, r.messages, r.presses, r.reacted, r.places = nil, nil, nil, nil, nil, nil, nil
}

// last is the message of the last call.
func (r *recorder) last(t *testing.T) chat.Message {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.messages) == 0 {
		t.Fatal("no message was handled")
	}
	return r.messages[len(r.messages)-1]
}

func (r *recorder) ThreadCreated(_ context.Context, thread chat.Channel) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.threads = append(r.threads, thread.ID)
}

// opened are the threads of ThreadCreated.
func (r *recorder) opened() []chat.ChannelID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.threads)
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
