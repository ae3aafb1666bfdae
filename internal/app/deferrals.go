package app

import (
	"context"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/deferral"
	"discoclaw/internal/flow"
)

// newDeferrals keeps what the bot is to do by itself later.
func newDeferrals(c *Core) *deferral.Engine {
	return deferral.New(c.db, deferral.Options{
		MaxDelay:   time.Duration(c.Config.Actions.DeferMaxDelay * float64(time.Second)),
		MaxPending: c.Config.Actions.DeferMaxPending,
		Keeper:     flow.PutOff{Inbox: c.inbox},
		Log:        c.log,
	})
}

// runDeferred lets deferred runs begin, from the first login on: before that, nobody
// could read what they say.
func (b *Bot) runDeferred(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-b.loggedIn:
		b.core.deferred.Run(ctx, b.flows.Deferrals().Due)
	}
}

// barsDeferred says why somebody's deferred run would not run in a place.
func (c *Core) barsDeferred(who chat.UserID, where chat.Place) string {
	return string(c.policy().Admit(access.ByDefer, chat.User{ID: who}, where))
}
