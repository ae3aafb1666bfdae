// Package calls is the sound of a playground's voice channels: a voice server, a client for each person who is in one, and a speech service
// for a bot that has no other.
//
// Encryption, packets and codec are those of a real call; only the speech is not. What a person says ([Calls.Say]) is a short burst of
// tones, which stands for a text; the service recognises it. What the bot says is tones as well, for as long as the words would take, so
// that one can talk into it; who hears them is shown the text.
package calls

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/sleep"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
)

// Calls are the calls of a world. They are safe for concurrent use.
type Calls struct {
	world   *fakediscord.World
	server  *fakevoice.Server
	texts   texts
	changed chan struct{} // wakes run: somebody may have come or gone
	stop    context.CancelFunc
	ended   chan struct{}

	mu     sync.Mutex
	people map[chat.UserID]*person
	news   chan struct{} // closed when people change
	tell   func(Line)
}

// A Line is something that is said in a call. It is told when people begin to hear it, and again when that is over.
type Line struct {
	Channel chat.ChannelID `json:"channel"`
	ID      string         `json:"id"`
	By      chat.UserID    `json:"by"`
	Text    string         `json:"text"`
	Over    bool           `json:"over"`
	Cut     bool           `json:"cut"` // it was not heard to its end
}

// New opens the calls of a world, whose voice gateway is at an endpoint: a websocket that [Calls.ServeHTTP] serves. Until Close, each
// person in a voice channel has a client there.
func New(w *fakediscord.World, endpoint string) (*Calls, error) {
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the playground's voice channels: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &Calls{
		world: w, server: fakevoice.New(fakevoice.Options{Packets: packets}), texts: texts{all: map[string]*text{}},
		changed: make(chan struct{}, 1), stop: stop, ended: make(chan struct{}),
		people: map[chat.UserID]*person{}, news: make(chan struct{}), tell: func(Line) {},
	}
	c.server.Serve(w, endpoint)
	w.Watch(func(e fakediscord.Event) {
		if e.Name == "VOICE_STATE_UPDATE" {
			sleep.Wake(c.changed)
		}
	})
	go c.run(ctx)
	return c, nil
}

// ServeHTTP serves the voice gateway.
func (c *Calls) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.server.ServeHTTP(w, r) }

// OnLine has tell called with all that is said.
func (c *Calls) OnLine(tell func(Line)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell = tell
}

// Close ends all calls.
func (c *Calls) Close() {
	c.stop()
	<-c.ended
	c.server.Close()
}

func (c *Calls) run(ctx context.Context) {
	defer close(c.ended)
	for {
		c.follow(ctx)
		select {
		case <-c.changed:
		case <-ctx.Done():
			for id := range c.people {
				c.hangUp(id)
			}
			return
		}
	}
}

// follow gives the people who are in voice channels a client there. Only run calls it, and adds and removes people.
func (c *Calls) follow(ctx context.Context) {
	for _, m := range c.world.Members() {
		pass, err := c.world.VoicePass(string(m.ID))
		if inside := err == nil; m.Bot || !inside {
			c.hangUp(m.ID)
			continue
		}
		if now := c.person(m.ID); now != nil && now.pass == pass && !now.gone() {
			continue
		}
		c.hangUp(m.ID)
		if p, err := c.dial(ctx, pass); err == nil { // or they have left meanwhile
			c.set(m.ID, p)
		}
	}
}

// dial connects a person.
func (c *Calls) dial(ctx context.Context, pass fakediscord.VoicePass) (*person, error) {
	identity, err := dave.NewIdentity()
	if err != nil {
		return nil, err
	}
	t := fakevoice.TicketOf(pass)
	at := link.Server{Endpoint: pass.Endpoint, Token: t.Token, Session: t.Session, Guild: t.Guild, Channel: t.Channel, Self: t.User}
	call, err := link.Dial(ctx, at, link.Options{Identity: identity})
	if err != nil {
		return nil, err
	}
	p := &person{calls: c, pass: pass, call: call, bot: c.bot(), ended: make(chan struct{})}
	go p.listen()
	return p, nil
}

// bot is the bot, as packets name it.
func (c *Calls) bot() uint64 {
	m, _ := c.world.Member("bot")
	n, _ := strconv.ParseUint(string(m.ID), 10, 64)
	return n
}

func (c *Calls) hangUp(id chat.UserID) {
	if p := c.person(id); p != nil {
		c.set(id, nil)
		p.call.Close()
		<-p.ended
	}
}

func (c *Calls) person(id chat.UserID) *person {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.people[id]
}

func (c *Calls) set(id chat.UserID, p *person) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.people[id] = p; p == nil {
		delete(c.people, id)
	}
	close(c.news)
	c.news = make(chan struct{})
}

// Reasons why nothing can be said, each a sentence.
var (
	errOutside = errors.New("you are in no voice channel; enter one first")
	errAlone   = errors.New("nobody else is in the call, so nobody would hear it; ask the bot to come in first")
	errSlow    = errors.New("the call is not ready; try again in a moment")
)

// readyWithin is how long somebody waits until their call is ready: it is encrypted anew whenever somebody comes.
const readyWithin = 10 * time.Second

// ready is a person who can speak.
func (c *Calls) ready(ctx context.Context, id chat.UserID) (*person, error) {
	if _, err := c.world.VoicePass(string(id)); err != nil {
		return nil, errOutside
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, errSlow)
	defer cancel()
	for {
		c.mu.Lock()
		p, changed := c.people[id], (<-chan struct{})(c.news)
		c.mu.Unlock()
		if p != nil {
			var now link.State
			switch now, changed = p.call.State(); {
			case now.CanSend:
				return p, nil
			case now.Err != nil:
				return nil, now.Err
			case now.Ready && len(now.People) == 0:
				return nil, errAlone
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// line tells a line.
func (c *Calls) line(l Line) {
	c.mu.Lock()
	tell := c.tell
	c.mu.Unlock()
	tell(l)
}
