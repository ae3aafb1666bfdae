package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// sendWait is how long something may wait for a connection that takes it. A
// connection that broke is usually back sooner.
const sendWait = 15 * time.Second

// A Presence is how the bot shows itself, in Discord's terms. A nil Since and an
// empty list of activities are sent as such.
type Presence struct {
	Status     string     `json:"status"`
	Activities []Activity `json:"activities"`
	Since      *int64     `json:"since"`
	AFK        bool       `json:"afk"`
}

// An Activity is what the bot shows itself doing.
type Activity struct {
	Name  string `json:"name"`
	Type  int    `json:"type"`
	State string `json:"state,omitempty"`
}

// A VoiceState is where the bot wants to be in voice on one server. A nil Channel
// takes it out of voice.
type VoiceState struct {
	Guild   string  `json:"guild_id"`
	Channel *string `json:"channel_id"`
	Mute    bool    `json:"self_mute"`
	Deaf    bool    `json:"self_deaf"`
}

// An order is something to send. The goroutine that owns the connection takes it
// when the connection is up, and says in done what came of it.
type order struct {
	send func(ctx context.Context, l *link) error
	done chan error // has room for one
}

// SetPresence changes how the bot shows itself: change is called with what was set
// last and says what to make of it. It returns when Discord was told. If there is
// no connection for a while it returns an error; the presence is shown all the same
// as soon as there is one.
//
// Like SetVoiceState it is safe for concurrent use, and must not be called by the
// function that handles events, which everything else waits for.
func (c *Client) SetPresence(ctx context.Context, change func(*Presence)) error {
	c.presence.change(change)
	if err := c.send(ctx, func(ctx context.Context, l *link) error { return l.sendPresence(ctx) }); err != nil {
		return fmt.Errorf("%w; the bot will show it once it is connected again", err)
	}
	return nil
}

// Presence is what was set last. Before that, all of it is empty.
func (c *Client) Presence() Presence {
	if p := c.presence.get(); p != nil {
		return *p
	}
	return Presence{}
}

// SetVoiceState tells Discord where the bot wants to be in voice. Discord answers
// with events, or not at all if the bot may not be there.
func (c *Client) SetVoiceState(ctx context.Context, v VoiceState) error {
	return c.send(ctx, func(ctx context.Context, l *link) error { return l.send(ctx, voiceCommand(v)) })
}

// send has something sent by the goroutine that owns the connection.
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

// A wish is the presence that was set last. Its pointer changes with every change,
// and what it points to never does.
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

// orders are those that may be sent now: none before READY or RESUMED, and none
// while the allowance is used up.
func (l *link) orders() <-chan order {
	if l.upSince.IsZero() || l.allowance.wait(time.Now()) > 0 {
		return nil
	}
	return l.c.orders
}

// room wakes listen when the allowance has room again. It is nil while there is.
func (l *link) room() <-chan time.Time {
	if wait := l.allowance.wait(time.Now()); wait > 0 {
		return time.After(wait)
	}
	return nil
}

// obey carries an order out.
func (l *link) obey(ctx context.Context, o order) error {
	err := o.send(ctx, l)
	o.done <- err
	return err
}

// sendPresence tells the presence that was set last, unless this connection has
// told it already.
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
