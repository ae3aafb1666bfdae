package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

const (
	// The pause between two connections grows from the first to the second.
	minPause = time.Second
	maxPause = time.Minute

	// A connection that was up this long makes the next pause short again.
	steady = time.Minute

	// firstTries is how often an unreachable Discord is tried before the first
	// connection: enough for a hiccup, few enough that a wrong address is reported
	// while somebody is still looking.
	firstTries = 3

	// maxRefusals is how many RESUMEs in a row may come to nothing, and refusalTime
	// how long it must go on like that, before the session is given up. A gateway that
	// is out of order for a moment still has what was missed meanwhile.
	maxRefusals = 3
	refusalTime = 3 * time.Minute
)

// A report is how one connection went.
type report struct {
	err     error         // why it ended
	opened  bool          // the gateway said HELLO
	up      bool          // READY or RESUMED came
	lasted  time.Duration // since then
	refused bool          // a RESUME was sent and brought nothing
}

// level is how much the end of the connection matters to a reader of the log.
// Discord asks every bot to reconnect now and then.
func (r report) level() slog.Level {
	if errors.Is(r.err, errReconnect) {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

// The past is what a Client remembers of its connections to decide how to go on.
// The counts are of connections in a row.
type past struct {
	everUp   bool
	brief    int // did not stay up for long
	unopened int // did not come as far as HELLO
	refused  int // could not resume

	refusedSince time.Time // the first of those
}

// noteRefusal counts RESUMEs that came to nothing.
func (p *past) noteRefusal(refused bool) {
	if p.refused = count(p.refused, refused); p.refused == 1 {
		p.refusedSince = time.Now()
	}
}

// hopeless says whether the session should be given up.
func (p *past) hopeless() bool {
	return p.refused >= maxRefusals && time.Since(p.refusedSince) >= refusalTime
}

// learn draws the consequences of a connection that ended: how long to wait before
// the next, whether the session is lost, or the error that ends it all.
func (c *Client) learn(ctx context.Context, r report) (wait time.Duration, final error) {
	p := &c.past
	p.everUp = p.everUp || r.up
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
	case !p.everUp && p.unopened >= firstTries:
		return 0, fmt.Errorf("could not reach Discord in %d tries (%w): check the network connection and DISCORD_API_URL", firstTries, r.err)
	case then == identify, p.hopeless():
		p.refused = 0
		c.keep(ctx, Session{})
	}

	wait = pause(p.brief)
	p.brief++
	if errors.Is(r.err, errSessionInvalid) {
		wait = max(wait, invalidSessionPause())
	}
	return wait, nil
}

// count counts how often something happened in a row.
func count(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// pause returns how long to wait after n connections that did not last. Half of it
// is chance, so that many clients do not come back at the same moment.
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

// next is what the end of a connection asks for.
type next int

const (
	resume   next = iota // go on with the session; the zero value, so what is unknown means this
	identify             // start a new session
	stop                 // do not come back
)

// The ends of a connection that need a name, because they are ours or because
// Discord announces them in a payload.
var (
	errReconnect      = errors.New("asked by Discord to reconnect")
	errSessionPaused  = errors.New("asked by Discord to resume the session on a new connection")
	errSessionInvalid = errors.New("told by Discord that the session is invalid")
	errNoHello        = errors.New("the server did not say HELLO")
	errNoACK          = errors.New("a heartbeat was not acknowledged")
)

// afterEnd tells what to do about the end of a connection. Whatever is not known
// to be final or to cost the session is worth a RESUME.
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
