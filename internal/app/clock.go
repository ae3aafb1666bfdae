package app

import "discoclaw/internal/cron"

// ClockMoved has the bot look at once whether something is due. It is called after Outside.Now has moved on.
func (b *Bot) ClockMoved() {
	b.core.crons.Wake()
	b.core.deferred.Wake()
	b.core.reminders.Wake()
	b.core.tasks.Wake()
	b.approvals.Wake()
}

// Jobs returns the engine of scheduled jobs. Its database is open while the bot runs.
func (b *Bot) Jobs() *cron.Engine { return b.core.crons }
