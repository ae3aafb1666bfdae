package voice

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/player"
)

const (
	joinWait = 20 * time.Second // for Discord to let the bot in
	askWait  = 10 * time.Second // for anything smaller

	// A connection that was lost is made again so often, with pauses of 1, 2, 4, 8
	// and 16 seconds, and once it has held for a while it may be lost as often again.
	maxRetries = 5
	firstPause = time.Second
	steady     = time.Minute
)

var (
	errOver      = errors.New("I have left the voice channel meanwhile")
	errOtherwise = errors.New("given up, because something else was asked for meanwhile")
	errRestoring = errors.New("the connection to the voice channel is being restored; try again in a minute")
	errOutOfTime = fmt.Errorf("I was not let in within %v; try again", joinWait)
)

// A room is the bot in voice on one server, or on its way there. It is over when the
// bot has left, or does not come in.
//
// One goroutine, run, does everything that takes time; others hand it orders. So no
// lock is held while Discord is waited for.
type room struct {
	transport Transport
	Options
	guild  chat.GuildID
	orders chan order
	unused chan struct{} // tells that who wanted to come in no longer does
	gone   chan struct{} // closed when the room is over
	stop   context.CancelFunc

	mu      sync.Mutex
	status  Status
	call    *link.Call     // of conn
	player  *player.Player // of call
	aim     chat.ChannelID // of the try to join that is under way; empty for none
	abandon context.CancelCauseFunc

	// Of the goroutine alone.
	conn    Conn            // nil while there is none
	changed <-chan struct{} // tells that the connection has news; nil while there is none
	retries int             // since the connection was last steady
	dueAt   time.Time       // when to try again, or to stop waiting for a server; zero for never
	over    bool
	company company
}

// An order is for the goroutine of a room.
type order struct {
	do   func(context.Context) error
	done chan error // has room for one
}

func newRoom(m *Manager, g chat.GuildID, stop context.CancelFunc) *room {
	return &room{
		transport: m.transport, Options: m.o, guild: g, stop: stop,
		orders: make(chan order), unused: make(chan struct{}, 1), gone: make(chan struct{}),
	}
}

// ask has the goroutine do something, as long as it is wanted, and returns what came
// of it.
func (r *room) ask(ctx context.Context, do func(context.Context) error) error {
	o := order{done: make(chan error, 1), do: func(within context.Context) error {
		within, cancel := context.WithCancel(within)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		return do(within)
	}}
	select {
	case r.orders <- o:
	case <-r.gone:
		return errOver
	case <-ctx.Done():
		return fmt.Errorf("stopped before it was done: %w", ctx.Err())
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("stopped while it was done: %w", ctx.Err())
	}
}

func (r *room) join(ctx context.Context, ch chat.ChannelID, deadline time.Time) error {
	r.interrupt(ch)
	err := r.ask(ctx, func(ctx context.Context) error { return r.enter(ctx, ch, deadline) })
	if ctx.Err() != nil {
		select {
		case r.unused <- struct{}{}:
		default: // it has been told
		}
	}
	return err
}

func (r *room) leave(ctx context.Context) error {
	r.interrupt("")
	return r.ask(ctx, r.exit)
}

// interrupt ends a try to join any other channel.
func (r *room) interrupt(unless chat.ChannelID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abandon != nil && r.aim != unless {
		r.abandon(errOtherwise)
	}
}

func (r *room) now() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

func (r *room) currentCall() *link.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.call
}

// become notes a new status, and since when.
func (r *room) become(s Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Since = r.status.Since
	if s.State != r.status.State || s.Channel != r.status.Channel {
		s.Since = time.Now()
	}
	r.status = s
}

// run is the goroutine.
func (r *room) run(ctx context.Context) {
	defer r.drop()
	for !r.over {
		select {
		case o := <-r.orders:
			o.done <- o.do(ctx)
		case <-r.unused:
			r.over = r.now().State == "" // or else somebody has come in
		case <-r.changed:
			r.follow(ctx)
		case <-at(r.dueAt):
			r.dueAt = time.Time{}
			r.mend(ctx)
		case <-r.company.changed:
			r.look()
		case <-at(r.company.leaveAt):
			r.company.leaveAt = time.Time{}
			r.leaveEmpty(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// at is a channel that says when it is that time, or never if it is none.
func at(t time.Time) <-chan time.Time {
	if t.IsZero() {
		return nil
	}
	return time.After(time.Until(t))
}
