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

// Sessions keep the bot's session with Discord from one process to the next.
type Sessions interface {
	Load(ctx context.Context) (SavedSession, error)
	Save(ctx context.Context, s SavedSession) error
}

// A SavedSession is a session and its owner, which stands for the bot and how it asked for the
// session: Discord lets no other owner resume it.
type SavedSession struct {
	Owner string `json:"owner"`
	gateway.Session
}

// savePace is how often the place in the session is written down. What is told again
// after a crash is known to whoever was told before.
const savePace = time.Second

// A sessionSaver is the bot's place in what Discord tells. It belongs to the goroutine that
// hears events.
type sessionSaver struct {
	sessions Sessions
	owner    string
	log      *slog.Logger

	handled gateway.Session // up to here
	stuck   bool            // what comes next was not handled, and is to be told again
	saved   gateway.Session
	when    time.Time // it was saved
	failing bool      // the last try to save it failed, which was logged

	// dropped says that the session is given up: no process is to go on with it, because some of it was not handled.
	dropped atomic.Bool
}

// errDropped has the gateway give the session back to Discord.
var errDropped = errors.New("the session is given up")

// owner stands for the bot in a way that does not give its token away.
func (c *Client) owner() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", c.token, c.apiURL, intents))
	return hex.EncodeToString(sum[:])
}

// Moved writes a place down, if it is worth that.
func (b *sessionSaver) Moved(ctx context.Context, s gateway.Session) {
	if b.stuck {
		return
	}
	b.handled = s
	if s.ID != b.saved.ID || time.Since(b.when) >= savePace {
		_ = b.Settle(ctx, s) // it has been logged, and the next try is not far
	}
}

// Settle writes a place down.
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
	// Whatever ends the bot, this is still true.
	err := b.sessions.Save(context.WithoutCancel(ctx), SavedSession{b.owner, s})
	if err != nil && !b.failing {
		b.log.ErrorContext(ctx, "the place on Discord was not written down; after a crash, messages may be answered again", "err", err)
	}
	if b.failing = err != nil; !b.failing {
		b.saved, b.when = s, time.Now()
	}
	return err
}

// load is the session of the last process, if there is one to go on with.
func (b *sessionSaver) load(ctx context.Context) gateway.Session {
	found, err := b.sessions.Load(ctx)
	if err != nil {
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "last session not loaded; what was said while the bot was away is read from the channels", "err", err)
		}
		return gateway.Session{}
	}
	if found.Owner != b.owner {
		return gateway.Session{}
	}
	b.saved, b.handled = found.Session, found.Session
	return found.Session
}
