package discord

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"discoclaw/internal/discord/gateway"
)

// Sessions keeps the gateway session from one process to the next.
type Sessions interface {
	Load(ctx context.Context) (SavedSession, error)
	Save(ctx context.Context, s SavedSession) error
}

// A SavedSession is a session and its owner, which identifies the bot and the options of its
// session: another owner could not resume it.
type SavedSession struct {
	Owner string `json:"owner"`
	gateway.Session
}

// savePace is how often the sequence number is saved. Events that are replayed after a crash are
// deduped by the handler.
const savePace = time.Second

// A sessionSaver saves the gateway session. It belongs to the goroutine that handles events.
type sessionSaver struct {
	sessions Sessions
	owner    string
	log      *slog.Logger

	handled gateway.Session // the last one whose event was handled
	stuck   bool            // the next event was not handled, and is to be replayed
	saved   gateway.Session
	when    time.Time // saved was saved
	failing bool      // the last save failed, which was logged

	// dropped is set if no process must resume the session, because some of its events were not handled.
	dropped atomic.Bool
}

// errDropped makes the gateway client close the session.
var errDropped = errors.New("the session is given up")

// owner returns a hash that identifies the bot without its token.
func (c *Client) owner() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", c.token, c.apiURL, intents))
	return hex.EncodeToString(sum[:])
}

// Moved saves a session, at most once per savePace.
func (b *sessionSaver) Moved(ctx context.Context, s gateway.Session) {
	if b.stuck {
		return
	}
	b.handled = s
	if s.ID != b.saved.ID || time.Since(b.when) >= savePace {
		_ = b.Settle(ctx, s) // it was logged, and is retried soon
	}
}

// Settle saves a session.
func (b *sessionSaver) Settle(ctx context.Context, s gateway.Session) error {
	if b.dropped.Load() {
		return errors.Join(errDropped, b.save(ctx, gateway.Session{}))
	}
	if b.stuck {
		s = b.handled
	}
	return b.save(ctx, s)
}

func (b *sessionSaver) save(ctx context.Context, s gateway.Session) error {
	if s == b.saved {
		return nil
	}
	// Saved even if ctx has ended.
	err := b.sessions.Save(context.WithoutCancel(ctx), SavedSession{b.owner, s})
	if err != nil && !b.failing {
		b.log.ErrorContext(ctx, "cannot save the gateway session; after a crash, messages may be answered again", "err", err)
	}
	if b.failing = err != nil; !b.failing {
		b.saved, b.when = s, time.Now()
	}
	return err
}

// load returns the session of the last process, if there is one to resume.
func (b *sessionSaver) load(ctx context.Context) gateway.Session {
	found, err := b.sessions.Load(ctx)
	if err != nil {
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "cannot load the last gateway session; missed messages are read from the channels", "err", err)
		}
		return gateway.Session{}
	}
	if found.Owner != b.owner {
		return gateway.Session{}
	}
	b.saved, b.handled = found.Session, found.Session
	return found.Session
}
