// Package gateway is a client for Discord's gateway, the websocket over which Discord sends
// events. It connects, identifies, keeps the connection alive with heartbeats, and
// resumes the session when the connection breaks, so that missed events are replayed. It
// knows payloads, not what events mean. Besides what keeps the connection up it sends two
// commands: presence updates and voice state updates.
//
// Start with New and Client.Run. Some habits run through the package:
//
//   - No event is lost. The sequence number advances only after an event was handled, so an
//     event that was not handled is replayed after the next RESUME.
//   - New sessions are rare. Discord resets the token of a bot that identifies more
//     than its daily allowance, so a session is resumed wherever that is possible,
//     and IDENTIFYs are spaced out whatever goes wrong.
//   - One goroutine owns the connection. Other goroutines pass it their commands and wait
//     for the result; no lock is held while a command is sent.
//   - A permanent error ends Run, with a sentence that says what to do.
package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"discoclaw/internal/sleep"
)

// Options are what a Client works with. Token, Intents and Locate are required.
type Options struct {
	Token   string
	Intents int // the kinds of events to receive, as Discord's bits

	// Locate asks Discord where its gateway is and how many sessions may still be
	// started (GET /gateway/bot). It is called before every new session. An error
	// with a method Permanent() bool that returns true ends Run at once, as it
	// should when Discord refuses the token.
	Locate func(ctx context.Context) (Location, error)

	HTTP *http.Client // for the websocket handshake; nil means http.DefaultClient

	// Presence is the initial presence; nil leaves that to Discord.
	Presence *Presence

	// Session, if it has an ID, is resumed. It must come from the same bot with the same
	// intents: a resumed session keeps those it was started with.
	Session Session

	// Keeper saves the session for a later Client. It may be nil.
	Keeper Keeper

	Log *slog.Logger // nil means no log
}

// A Keeper saves the session and its sequence number. It is called by one goroutine at a
// time, and nothing is read from Discord meanwhile.
type Keeper interface {
	// Moved is called with every change of the session, after the event that caused it was
	// handled, and with a zero Session when it is gone. It need not save each of them: the
	// events after the last saved one are replayed to a later Client.
	Moved(ctx context.Context, s Session)
	// Settle is called at the end with the last state, for a later Client to resume. After
	// an error the session is closed on Discord: resuming it would replay events that were
	// handled already.
	Settle(ctx context.Context, s Session) error
}

// A Location is Discord's answer to Locate.
type Location struct {
	URL   string
	Limit StartLimit
}

// A StartLimit is how many sessions a bot may start. The zero value means that it is
// unknown, and does not limit.
type StartLimit struct {
	Total          int
	Remaining      int
	ResetAfter     time.Duration
	MaxConcurrency int // sessions that may be started within five seconds
}

// A Session is a gateway session. Everything up to Sequence was handled, so a saved Session
// can be resumed from there after a restart.
type Session struct {
	ID        string `json:"id"`
	ResumeURL string `json:"resume_url"`
	Sequence  int64  `json:"sequence"`
}

// An Event is a dispatch of Discord's, such as MESSAGE_CREATE. Sequence is its number in the
// session, or 0 if Discord gave none.
//
// After a crash or a new session an event can be replayed, so its handler must dedupe.
type Event struct {
	Name     string
	Data     json.RawMessage
	Sequence int64
	Late     bool // it is replayed after a RESUME
}

// A Client keeps a bot connected to the gateway.
type Client struct {
	o       Options
	session Session // zero while there is none
	starts  starts
	past    past

	presence wish
	began    *Presence  // of the IDENTIFY, which a resumed session still has unless it was changed
	orders   chan order // to the goroutine that owns the connection
}

// New returns a Client. Run connects it.
func New(o Options) *Client {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Client{o: o, session: o.Session, presence: wish{now: o.Presence}, orders: make(chan order)}
}

// Run connects and stays connected until ctx ends, or until a permanent error. It returns nil
// in the first case; in the second its error is one sentence with the remedy, a *CloseError
// if Discord closed the connection. An unreachable Discord is not permanent: Run retries for
// ever.
//
// handle is called for one event after the other, in order, READY and RESUMED included. It
// must return quickly: nothing is read meanwhile, and a connection that is not read for a
// heartbeat interval (some 40 seconds) is closed.
//
// When ctx ends, the session is closed on Discord, unless Options.Keeper has saved it: then
// it is left open and invisible, to be resumed by a later Client, which sets its presence again. Run must not be called twice at the same
// time.
func (c *Client) Run(ctx context.Context, handle func(Event)) error {
	// Without a connection at the end, the last state may not be saved yet.
	defer c.settled(ctx)
	for {
		r := c.connection(ctx, handle)
		if ctx.Err() != nil {
			return nil
		}
		wait, err := c.learn(ctx, r)
		if err != nil {
			return err
		}
		c.logEnd(ctx, r, wait)
		if !sleep.For(ctx, wait) {
			return nil
		}
	}
}

// connection serves one connection and reports how it went.
func (c *Client) connection(ctx context.Context, handle func(Event)) report {
	address, err := c.address(ctx)
	if err != nil {
		return report{err: err}
	}
	l, err := c.dial(ctx, address, handle)
	if err != nil {
		return report{err: err}
	}
	return l.serve(ctx)
}

// keep sets the session and passes it to the Keeper.
func (c *Client) keep(ctx context.Context, s Session) {
	if s == c.session {
		return
	}
	c.session = s
	if c.o.Keeper != nil {
		c.o.Keeper.Moved(ctx, s)
	}
}

// settled reports whether a later Client can resume the session.
func (c *Client) settled(ctx context.Context) bool {
	if c.o.Keeper == nil || c.session.ID == "" {
		return false
	}
	return c.o.Keeper.Settle(context.WithoutCancel(ctx), c.session) == nil
}
