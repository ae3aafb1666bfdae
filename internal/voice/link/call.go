package link

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/sleep"
	"discoclaw/internal/voice/dave"
)

// framesKept is how many frames wait to be received from Frames: five seconds of one speaker.
const framesKept = 256

// A Call is the bot in a voice call. It is safe for concurrent use, and Close has to be called.
type Call struct {
	o        Options
	frames   chan Frame
	tally    tally
	speaking atomic.Bool
	news     chan struct{} // wakes the goroutine: there is another server, or speaking has changed
	stop     context.CancelFunc
	gone     chan struct{}

	mu      sync.Mutex
	server  Server
	media   *media // with which Send works; nil without
	state   State
	changed chan struct{}

	// Of the goroutine alone.
	session *session // nil while there is none
	retries int      // since the connection was last steady
	held    bool     // the call has been ready
}

// dialLimit is how long Dial waits if its context lets it.
const dialLimit = 30 * time.Second

// Dial connects to a call. It returns when the bot can hear and, unless it is alone there, speak; or with what stopped it, in a sentence
// for people.
func Dial(ctx context.Context, at Server, o Options) (*Call, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.DialUDP == nil {
		o.DialUDP = func(ctx context.Context, addr string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", addr)
		}
	}
	running, stop := context.WithCancel(context.Background())
	c := &Call{
		o: o, frames: make(chan Frame, framesKept), news: make(chan struct{}, 1), stop: stop, gone: make(chan struct{}),
		server: at, changed: make(chan struct{}),
	}
	go c.run(running)
	if err := c.ready(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// ready waits until the call is ready or over.
func (c *Call) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	for {
		now, changed := c.State()
		if now.Ready || now.Err != nil {
			return now.Err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if len(now.People) > 0 {
				return ErrEncryption // all else is there
			}
			return ErrUnreachable
		}
	}
}

// Move takes what a later voice event says. It does nothing if that is what the Call knows already.
func (c *Call) Move(to Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = to
	sleep.Wake(c.news)
}

// Frames receives what people say. Frames that nobody receives in time are dropped. It is closed when the call is over.
func (c *Call) Frames() <-chan Frame { return c.frames }

// Send sends a frame of 20 milliseconds; the caller keeps the pace. It never waits. It fails with ErrNotReady while State says that the bot
// cannot send, and until the others were told by Speaking.
func (c *Call) Send(opus []byte) error {
	c.mu.Lock()
	m := c.media
	c.mu.Unlock()
	if m == nil {
		return ErrNotReady
	}
	if err := m.send(opus); err != nil {
		return err
	}
	c.tally.add(&c.tally.Sent, 1)
	return nil
}

// Speaking tells the others that the bot begins to speak, before the first Send, or has paused, after five frames of Silence.
func (c *Call) Speaking(on bool) {
	c.speaking.Store(on)
	sleep.Wake(c.news)
}

// State is how the call is; changed is closed when anything but the figures is different.
func (c *Call) State() (now State, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now = c.state
	now.Counts, now.Loss = c.tally.now()
	return now, c.changed
}

// Close ends the call and waits until that is done, a few seconds at most.
func (c *Call) Close() {
	c.stop()
	<-c.gone
}

// speakWith sets what Send uses.
func (c *Call) speakWith(m *media) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.media = m
}

func (c *Call) target() Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server
}

// hear passes a frame on.
func (c *Call) hear(f Frame) {
	counter := &c.tally.Heard
	select {
	case c.frames <- f:
	default:
		counter = &c.tally.Unread
	}
	if f.Opus != nil {
		c.tally.add(counter, 1)
	}
}

// become changes the state.
func (c *Call) become(change func(*State)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.state
	change(&c.state)
	if !c.state.same(before) {
		close(c.changed)
		c.changed = make(chan struct{})
	}
}

// run is the goroutine: it keeps the call connected until it is over.
func (c *Call) run(ctx context.Context) {
	defer close(c.gone)
	defer close(c.frames)
	err := c.live(ctx)
	c.forget()
	c.become(func(s *State) { *s = State{Err: err, RoundTrip: s.RoundTrip} })
}

// live makes one connection after the other. It returns why the call is over.
func (c *Call) live(ctx context.Context) error {
	for {
		at := c.target()
		then, sentence, wait := await, ErrNoServer, serverWait
		if at.Endpoint != "" {
			then, sentence = c.connection(ctx, at)
			wait = moveWait
		}
		c.become(func(s *State) { s.Reconnecting = c.held })
		switch {
		case ctx.Err() != nil:
			return ErrClosed
		case c.target() != at:
			continue
		case then == stop, then != await && c.retries == maxRetries:
			return sentence
		case then != await:
			wait = firstPause << c.retries
			c.retries++
		}
		if then != resume {
			c.forget()
		}
		if moved := c.sleep(ctx, wait, at); then == await && !moved && ctx.Err() == nil {
			return sentence
		}
	}
}

// sleep pauses between two connections. It returns true at once if there is another server than the one that was tried.
func (c *Call) sleep(ctx context.Context, d time.Duration, tried Server) (moved bool) {
	over := time.NewTimer(d)
	defer over.Stop()
	for c.target() == tried {
		select {
		case <-c.news:
		case <-over.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// connection serves one websocket. It returns what follows, and what to tell people if nothing does.
func (c *Call) connection(ctx context.Context, at Server) (next, error) {
	if c.session == nil || c.session.server != at || c.session.described.IsZero() {
		c.forget()
		c.session = newSession(at, dave.New(at.Self, at.Channel, c.o.Identity))
	}
	l, err := c.dial(ctx, at)
	refused := false
	if err == nil {
		err = l.serve(ctx)
		refused = !l.resuming && l.upSince.IsZero()
		if !l.upSince.IsZero() && time.Since(l.upSince) >= steady {
			c.retries = 0
		}
	}
	then, sentence := afterEnd(err, refused)
	if sentence == ErrUDPBlocked && !c.held {
		then = stop // who asked for the call should hear of it
	}
	c.o.Log.InfoContext(ctx, "voice connection ended", "guild", at.Guild, "channel", at.Channel, "err", err)
	return then, sentence
}

// forget ends the session, if there is one.
func (c *Call) forget() {
	if c.session == nil {
		return
	}
	c.speakWith(nil)
	if c.session.media != nil {
		c.session.media.close()
	}
	c.session = nil
	c.become(func(s *State) { *s = State{Reconnecting: s.Reconnecting, RoundTrip: s.RoundTrip} })
}
