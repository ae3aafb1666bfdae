// Package gateway is a client for Discord's gateway, the websocket over which
// Discord tells a bot what happens. It connects, identifies, keeps the connection
// alive with heartbeats, and resumes the session when the connection
// breaks, so that the events of the gap are replayed. It knows payloads, not what
// events mean. Besides what keeps the connection up it sends two things: how the bot
// shows itself, and where it wants to be in voice.
//
// Start with New and Client.Run. Some habits run through the package:
//
//   - No event is skipped in silence. The place in the stream moves on only after an
//     event was handled, so whatever was not handled comes again with the next
//     RESUME.
//   - New sessions are rare. Discord resets the token of a bot that identifies more
//     than its daily allowance, so a session is resumed wherever that is possible,
//     and IDENTIFYs are spaced out whatever goes wrong.
//   - One goroutine owns the connection. Whoever wants to send something hands it
//     over and hears what came of it; nobody holds a lock while something is sent.
//   - What trying again will not mend ends Run, with a sentence that says what to
//     do.
package gateway

import (
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
	// started (GET /gateway/bot). It is asked before every new session. An error
	// with a method Permanent() bool that returns true ends Run at once, as it
	// should when Discord refuses the token.
	Locate func(ctx context.Context) (Location, error)

	HTTP *http.Client // for the websocket handshake; nil means http.DefaultClient

	// Presence is how the bot shows itself at first; nil leaves that to Discord.
	Presence *Presence

	// Session, if it has an ID, is taken up again. It must come from the same bot
	// with the same intents: a resumed session keeps those it was started with.
	Session Session

	// Keeper remembers the session for a later Client. Nil means that nobody does.
	Keeper Keeper

	Log *slog.Logger // nil means no log
}

// A Keeper remembers where a Client is in the stream of events. It is called by one
// goroutine at a time, and nothing is read from Discord meanwhile.
type Keeper interface {
	// Moved is told of every change of the session, after the event that it is due to
	// was handled, and also that it is gone. It need not write every one down: a later
	// Client hears again what was handled after the last that was.
	Moved(ctx context.Context, s Session)
	// Settle is told in the end where the Client stopped, for a later one to go on
	// there. After an error the session is given back to Discord: who took it up would
	// hear again what was handled already.
	Settle(ctx context.Context, s Session) error
}

// A Location is what Discord answers when asked for its gateway.
type Location struct {
	URL   string
	Limit StartLimit
}

// A StartLimit is how many sessions a bot may start. The zero value means that it
// is not known, and does not limit.
type StartLimit struct {
	Total          int
	Remaining      int
	ResetAfter     time.Duration
	MaxConcurrency int // sessions that may be started within five seconds
}

// A Session is a place in Discord's stream of events. Everything up to Sequence
// was handled; whoever saves it can go on from there after a restart.
type Session struct {
	ID        string `json:"id"`
	ResumeURL string `json:"resume_url"`
	Sequence  int64  `json:"sequence"`
}

// An Event is something that happened on Discord, such as MESSAGE_CREATE. Sequence
// is its place in the session, or 0 if Discord gave none.
//
// After a crash or a new session an event can come again, so who handles events
// must recognise what it has seen.
type Event struct {
	Name     string
	Data     json.RawMessage
	Sequence int64
	Late     bool // it is told after a RESUME, and happened before that
}

// A Client keeps a bot connected to the gateway.
type Client struct {
	o       Options
	session Session // all zero while there is none
	starts  starts
	past    past

	presence wish
	began    *Presence  // what the session began with, which a resumed one still shows unless it was changed
	orders   chan order // to the goroutine that owns the connection
}

// New returns a Client that is not connected yet.
func New(o Options) *Client {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Client{o: o, session: o.Session, presence: wish{now: o.Presence}, orders: make(chan order)}
}

// Run connects and stays connected until ctx ends, or until Discord says something
// that trying again will not mend. It returns nil in the first case; in the second
// its error is one sentence with the remedy, a *CloseError if Discord closed the
// connection. An unreachable Discord is such an error only as long as no
// connection was ever up; later, Run tries for ever.
//
// handle is called for one event after the other, in order, READY and RESUMED
// included. It must return quickly: nothing is read meanwhile, and a connection
// that cannot be read for a heartbeat interval (some 40 seconds) is given up.
//
// When ctx ends, the session is given back to Discord, unless Options.Keeper has it:
// then it is left open, to be taken up by a later Client. Run must not be called
// twice at the same time.
func (c *Client) Run(ctx context.Context, handle func(Event)) error {
	// For an end without a connection, which may have come before the last was saved.
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
		c.o.Log.Log(ctx, r.level(), "gateway connection ended", "err", r.err, "wait", wait.Round(time.Millisecond))
		if !sleep.For(ctx, wait) {
			return nil
		}
	}
}

// connection makes one connection, uses it as long as it lasts and reports.
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

// keep notes where we are in the stream.
func (c *Client) keep(ctx context.Context, s Session) {
	if s == c.session {
		return
	}
	c.session = s
	if c.o.Keeper != nil {
		c.o.Keeper.Moved(ctx, s)
	}
}

// settled says whether a later Client can go on where this one stops.
func (c *Client) settled(ctx context.Context) bool {
	if c.o.Keeper == nil || c.session.ID == "" {
		return false
	}
	return c.o.Keeper.Settle(context.WithoutCancel(ctx), c.session) == nil
}
