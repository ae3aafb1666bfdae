package app

import (
	"time"

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
