package gateway

import (
	"context"
	"time"

	"discoclaw/internal/sleep"
)

const (
	// minGap keeps to Discord's limit of max_concurrency IDENTIFYs in five seconds, which is at
	// least one.
	minGap = 5 * time.Second

	// maxGap bounds the backoff when one session after the other is lost. Then there are at
	// most 17 IDENTIFYs in the first hour and 12 in each later one, far from the 1000 a day
	// after which Discord resets the token.
	maxGap = 5 * time.Minute

	// calm is the time without an IDENTIFY after which the gap is reset.
	calm = 30 * time.Minute

	// locateWait is the timeout of Locate.
	locateWait = 30 * time.Second
)

// starts spaces out the IDENTIFYs.
type starts struct {
	last time.Time
	gap  time.Duration // to be kept after last
}

// spent counts an IDENTIFY.
func (s *starts) spent(now time.Time) {
	if now.Sub(s.last) >= calm {
		s.gap = minGap
	} else {
		s.gap = min(2*s.gap, maxGap)
	}
	s.last = now
}

// wait returns how long to wait before the next IDENTIFY.
func (s *starts) wait(now time.Time) time.Duration {
	return max(0, s.last.Add(s.gap).Sub(now))
}

// address returns the address to connect to: that of the session, or else Discord's general
// one, once a new session may be started.
func (c *Client) address(ctx context.Context) (string, error) {
	switch {
	case c.session.ID == "":
		return c.newSessionAddress(ctx)
	case c.session.ResumeURL == "" || c.past.unopened%2 == 1:
		// A session can be resumed at the general address as well. Every second attempt goes
		// there, in case the session's own address is broken.
		loc, err := c.locate(ctx)
		return loc.URL, err
	default:
		return c.session.ResumeURL, nil
	}
}

// newSessionAddress waits until an IDENTIFY is allowed.
func (c *Client) newSessionAddress(ctx context.Context) (string, error) {
	if !sleep.For(ctx, c.starts.wait(time.Now())) {
		return "", ctx.Err()
	}
	for {
		loc, err := c.locate(ctx)
		if err != nil || loc.Limit.Total == 0 || loc.Limit.Remaining > 0 {
			return loc.URL, err
		}
		wait := max(loc.Limit.ResetAfter, minGap)
		c.o.Log.ErrorContext(ctx, "cannot start a session before the start limit of Discord is reset", "wait", wait)
		if !sleep.For(ctx, wait) {
			return "", ctx.Err()
		}
	}
}

func (c *Client) locate(ctx context.Context) (Location, error) {
	ctx, cancel := context.WithTimeout(ctx, locateWait)
	defer cancel()
	return c.o.Locate(ctx)
}
