package app

import (
	"context"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/deferral"
	"discoclaw/internal/flow"
)

// newDeferrals returns the engine of deferred runs.
func newDeferrals(c *Core) *deferral.Engine {
	return deferral.New(c.db, deferral.Options{
		MaxDelay:   time.Duration(c.Config.Actions.DeferMaxDelay * float64(time.Second)),
		MaxPending: c.Config.Actions.DeferMaxPending,
		Keeper:     flow.PutOff{Inbox: c.inbox},
		Now:        c.now,
		Log:        c.log,
	})
}

// runDeferred starts deferred runs when they are due. It waits for the first login, since nobody
// could read their output before.
func (b *Bot) runDeferred(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-b.loggedIn:
		b.core.deferred.Run(ctx, b.flows.Deferrals().Due)
	}
}

// barsDeferred returns why a user's deferred run would be refused in a place; empty if it would
// not.
func (c *Core) barsDeferred(who chat.UserID, where chat.Place) string {
	return string(c.policy().Admit(access.ByDefer, chat.User{ID: who}, where))
}
