package discord

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"discoclaw/internal/discord/gateway"
)

// Sessions remember the bot's session with Discord from one process to the next.
// An owner stands for the bot and how it asked for its session: another owner could not
// go on with it.
type Sessions interface {
	Load(ctx context.Context, owner string) (gateway.Session, error)
	Save(ctx context.Context, owner string, s gateway.Session) error
}

// savePace is how often the place in the session is written down. What is told again
// after a crash is known to whoever was told before.
const savePace = time.Second

// A bookmark is the bot's place in what Discord tells. It belongs to the goroutine that
// hears events.
type bookmark struct {
	sessions Sessions
	owner    string
	log      *slog.Logger

	saved   gateway.Session
	when    time.Time // it was saved
	failing bool      // the last try to save it failed, which was logged
}

// owner stands for the bot in a way that does not give its token away.
func (c *Client) owner() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", c.token, c.apiURL, intents))
	return hex.EncodeToString(sum[:])
}

// Moved writes a place down, if it is worth that.
func (b *bookmark) Moved(ctx context.Context, s gateway.Session) {
	if s.ID != b.saved.ID || time.Since(b.when) >= savePace {
		_ = b.Settle(ctx, s) // it has been logged, and the next try is not far
	}
}

// Settle writes a place down.
func (b *bookmark) Settle(ctx context.Context, s gateway.Session) error {
	if s == b.saved {
		return nil
	}
	// Whatever ends the bot, this is still true.
	err := b.sessions.Save(context.WithoutCancel(ctx), b.owner, s)
	if err != nil && !b.failing {
		b.log.ErrorContext(ctx, "the place on Discord was not written down; after a crash, messages may be answered again", "err", err)
	}
	if b.failing = err != nil; !b.failing {
		b.saved, b.when = s, time.Now()
	}
	return err
}

// takeUp is the session of the last process, if there is one to go on with. What it
// does not tell again has been asked for by then, so that all that comes in it is
// newer than what is known, or already known.
func (b *bookmark) takeUp(ctx context.Context, describe func(context.Context) error) gateway.Session {
	found, err := b.sessions.Load(ctx, b.owner)
	if err == nil && found.ID != "" {
		err = describe(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "the last session cannot be taken up; what was said while the bot was away is read from the channels", "err", err)
		}
		return gateway.Session{}
	}
	b.saved = found
	return found
}
