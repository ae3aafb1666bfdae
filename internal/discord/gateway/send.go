package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// sendWait is how long a command may wait for a connection. One that broke is usually back
// sooner.
const sendWait = 15 * time.Second

// A Presence is the bot's presence, in Discord's format. A nil Since and an empty list of
// activities are sent as such.
type Presence struct {
	Status     string     `json:"status"`
	Activities []Activity `json:"activities"`
	Since      *int64     `json:"since"`
	AFK        bool       `json:"afk"`
}

// An Activity is a part of a Presence.
type Activity struct {
	Name  string `json:"name"`
	Type  int    `json:"type"`
	State string `json:"state,omitempty"`
}

// A VoiceState is the bot's wanted voice state on one server. A nil Channel disconnects it
// from voice.
type VoiceState struct {
	Guild   string  `json:"guild_id"`
	Channel *string `json:"channel_id"`
	Mute    bool    `json:"self_mute"`
	Deaf    bool    `json:"self_deaf"`
}

// An order is a command to send. The goroutine that owns the connection receives it when the
// connection is up, and sends the result to done.
type order struct {
	send func(ctx context.Context, l *link) error
	done chan error // has room for one
}

// SetPresence changes the bot's presence: change is called with the one that was set last. It
// returns when the command was sent. Without a connection for a while it returns an error;
// the presence is sent all the same as soon as there is one.
//
// Like SetVoiceState it is safe for concurrent use, and must not be called by the function
// that handles events, since that blocks the goroutine that sends.
func (c *Client) SetPresence(ctx context.Context, change func(*Presence)) error {
	c.presence.change(change)
	if err := c.send(ctx, func(ctx context.Context, l *link) error { return l.sendPresence(ctx) }); err != nil {
		return fmt.Errorf("%w; I will show it once I am connected again", err)
	}
	return nil
}

// Presence returns the presence that was set last. It is zero before.
func (c *Client) Presence() Presence {
	if p := c.presence.get(); p != nil {
		return *p
	}
	return Presence{}
}

// SetVoiceState sends the bot's wanted voice state. Discord responds with events, or not at
// all if the bot may not be there.
func (c *Client) SetVoiceState(ctx context.Context, v VoiceState) error {
	return c.send(ctx, func(ctx context.Context, l *link) error { return l.send(ctx, voiceCommand(v)) })
}

// send runs f in the goroutine that owns the connection.
func (c *Client) send(ctx context.Context, f func(context.Context, *link) error) error {
	o := order{send: f, done: make(chan error, 1)}
	timeout := time.NewTimer(sendWait)
	defer timeout.Stop()
	select {
	case c.orders <- o:
	case <-timeout.C:
		return fmt.Errorf("nothing could be sent to Discord for %v, because the connection is down or was used too much; try again in a minute", sendWait)
	case <-ctx.Done():
		return fmt.Errorf("stopped before it was sent to Discord: %w", ctx.Err())
	}
	select {
	case err := <-o.done:
		if err != nil {
			return fmt.Errorf("the connection to Discord broke while this was sent; try again: %w", err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stopped while it was sent to Discord: %w", ctx.Err())
	}
}

// A wish is the presence that was set last. It is copied on write: every change sets a new
// pointer.
type wish struct {
	mu  sync.Mutex
	now *Presence // nil if none was set
}

func (w *wish) change(f func(*Presence)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := Presence{}
	if w.now != nil {
		next = *w.now
	}
	f(&next)
	w.now = &next
}

func (w *wish) get() *Presence {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// orders returns the channel of orders, or nil before READY or RESUMED, and while the allowance is
// used up.
func (l *link) orders() <-chan order {
	if l.upSince.IsZero() || l.allowance.wait(time.Now()) > 0 {
		return nil
	}
	return l.c.orders
}

// room returns a timer that wakes listen when the allowance has room again. It is nil while
// it has.
func (l *link) room() <-chan time.Time {
	if wait := l.allowance.wait(time.Now()); wait > 0 {
		return time.After(wait)
	}
	return nil
}

// obey executes an order.
func (l *link) obey(ctx context.Context, o order) error {
	err := o.send(ctx, l)
	o.done <- err
	return err
}

// sendPresence sends the presence that was set last, unless that was sent on this connection
// already.
func (l *link) sendPresence(ctx context.Context) error {
	p := l.c.presence.get()
	if p == l.told {
		return nil
	}
	if err := l.send(ctx, presenceCommand(*p)); err != nil {
		return err
	}
	l.told = p
	return nil
}
