package app

import "discoclaw/internal/cron"

// ClockMoved has the bot look at once whether something is due. It is called after Externals.Now has moved on.
func (b *Bot) ClockMoved() {
	for _, p := range b.core.parts {
		if p.wake != nil {
			p.wake()
		}
	}
}

// Jobs returns the engine of scheduled jobs, whose database is open from the first login on. Before that there is none.
func (b *Bot) Jobs() (engine *cron.Engine, ok bool) {
	select {
	case <-b.loggedIn:
		return b.core.crons, true
	default:
		return nil, false
	}
}
