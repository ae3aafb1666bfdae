package gateway

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	// The backoff between two connections grows from minPause to maxPause.
	minPause = time.Second
	maxPause = time.Minute

	// A connection that was up this long resets the backoff.
	steady = time.Minute

	// maxRetryAfter is how long the header Retry-After of a refused connection is believed. Anything
	// between the bot and Discord can write one.
	maxRetryAfter = 2 * time.Minute

	// maxRefusals is how many RESUMEs in a row may fail, and refusalTime for how long, before
	// the session is dropped. A gateway with a short outage still has the missed events.
	maxRefusals = 3
	refusalTime = 3 * time.Minute
)

// A report describes a connection that ended.
type report struct {
	err     error         // why it ended
	opened  bool          // HELLO came
	up      bool          // READY or RESUMED came
	lasted  time.Duration // since then
	refused bool          // a RESUME was sent and failed
}

// logPause is the time between two lines about an outage.
const logPause = time.Minute

// logEnd logs the end of a connection. An outage is logged when Discord is not reached for the first time, and then
// once a minute. Discord asks every bot to reconnect now and then.
func (c *Client) logEnd(ctx context.Context, r report, wait time.Duration) {
	level, what := slog.LevelWarn, "gateway connection ended"
	switch {
	case c.past.unopened == 1:
		what, c.past.logged = "cannot reach Discord; retrying until it answers (check the network connection and DISCORD_API_URL)", time.Now()
	case c.past.unopened > 1 && time.Since(c.past.logged) < logPause:
		level, what = slog.LevelDebug, "still cannot reach Discord"
	case c.past.unopened > 1:
		what, c.past.logged = "still cannot reach Discord", time.Now()
	case errors.Is(r.err, errReconnect):
		level = slog.LevelInfo
	}
	c.o.Log.Log(ctx, level, what, "err", r.err, "wait", wait.Round(time.Millisecond))
}

// The past counts connections in a row by how they went, to decide how to reconnect.
type past struct {
	brief    int // up for less than steady
	unopened int // without HELLO
	refused  int // with a failed RESUME

	refusedSince time.Time // the first of those
	logged       time.Time // that Discord is not reached
}

// noteRefusal counts failed RESUMEs.
func (p *past) noteRefusal(refused bool) {
	if p.refused = count(p.refused, refused); p.refused == 1 {
		p.refusedSince = time.Now()
	}
}

// hopeless reports whether the session should be dropped.
func (p *past) hopeless() bool {
	return p.refused >= maxRefusals && time.Since(p.refusedSince) >= refusalTime
}

// learn takes a report into account: it drops a lost session, and returns the backoff before the
// next connection, or the error that ends Run.
func (c *Client) learn(ctx context.Context, r report) (wait time.Duration, final error) {
	p := &c.past
	p.unopened = count(p.unopened, !r.opened)
	if r.lasted >= steady {
		p.brief = 0
	}
	if r.opened {
		p.noteRefusal(r.refused)
	}

	then := afterEnd(r.err)
	switch {
	case then == stop:
		return 0, r.err
	case then == identify, p.hopeless():
		p.refused = 0
		c.keep(ctx, Session{})
	}

	if after := retryAfter(r.err); after > 0 {
		wait = max(after, minPause) + rand.N(minPause)
	} else {
		wait = pause(p.brief)
		p.brief++
	}
	if errors.Is(r.err, errSessionInvalid) {
		wait = max(wait, invalidSessionPause())
	}
	return wait, nil
}

// count counts how often an event happened in a row.
func count(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// pause returns the backoff after n connections that did not last. Half of it is random (jitter), so
// that many clients do not reconnect at the same moment.
func pause(n int) time.Duration {
	most := maxPause
	if n < 6 { // beyond, the doubled pause is longer than maxPause anyway
		most = min(maxPause, 2*minPause<<n)
	}
	return most/2 + rand.N(most/2)
}

// invalidSessionPause is the random wait of one to five seconds that Discord's
// documentation asks for before a new session when the old one is invalid.
func invalidSessionPause() time.Duration {
	return time.Second + rand.N(4*time.Second)
}

// A refusedError is the error of a handshake that was refused with a Retry-After.
type refusedError struct {
	error
	after time.Duration
}

func (e refusedError) Unwrap() error             { return e.error }
func (e refusedError) RetryAfter() time.Duration { return e.after }

// refusedDial adds the Retry-After of a response, which may be nil, to the error of a handshake.
func refusedDial(err error, resp *http.Response) error {
	if resp == nil {
		return err
	}
	seconds, unusable := strconv.Atoi(resp.Header.Get("Retry-After"))
	if unusable != nil || seconds <= 0 {
		return err
	}
	return refusedError{err, time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second}
}

// retryAfter returns how long an error says to wait; 0 if it does not. That alone decides then, since a backoff on top of it would
// keep the bot offline for longer than Discord wants.
func retryAfter(err error) time.Duration {
	var limited interface{ RetryAfter() time.Duration }
	if errors.As(err, &limited) {
		return limited.RetryAfter()
	}
	return 0
}

// next is what follows the end of a connection.
type next int

const (
	resume   next = iota // the zero value, so also after an unknown end
	identify             // start a new session
	stop                 // do not reconnect
)

// The ends of a connection that are ours, or that Discord announces in a payload.
var (
	errReconnect      = errors.New("asked by Discord to reconnect")
	errSessionPaused  = errors.New("asked by Discord to resume the session on a new connection")
	errSessionInvalid = errors.New("told by Discord that the session is invalid")
	errNoHello        = errors.New("the server did not say HELLO")
	errNoAnswer       = errors.New("the server did not answer IDENTIFY or RESUME")
	errNoACK          = errors.New("a heartbeat was not acknowledged")
)

// afterEnd returns what follows the end of a connection. An error that is not known to be
// permanent or to cost the session is worth a RESUME.
func afterEnd(err error) next {
	var permanent interface{ Permanent() bool }
	if errors.As(err, &permanent) && permanent.Permanent() {
		return stop
	}
	if closed, ok := errors.AsType[*CloseError](err); ok {
		return closeCodes[closed.Code].then
	}
	if errors.Is(err, errSessionInvalid) {
		return identify
	}
	return resume
}
