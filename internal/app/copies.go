package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"discoclaw/internal/store"
)

// openStore opens the database. If a copy of it was restored, the bot adopts that.
func (b *Bot) openStore(ctx context.Context) error {
	db := b.core.db
	if err := db.Open(ctx, filepath.Join(b.core.dataDir, store.FileName)); err != nil {
		return err
	}
	began := db.Beginning()
	if !began.Copied.IsZero() {
		if err := db.Adopt(ctx); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	if b.process.mishap = mishap(began); b.process.mishap != "" {
		b.core.log.ErrorContext(ctx, b.process.mishap, "aside", began.Aside)
	}
	return nil
}

// mishap describes a recovery of the database for operators; empty if there was none.
func mishap(b store.Beginning) string {
	var parts []string
	if b.Trouble != "" {
		parts = append(parts, fmt.Sprintf("The database could not be used: %s.", b.Trouble))
	}
	if b.Aside != "" {
		parts = append(parts, fmt.Sprintf("What was there is called %s now.", filepath.Base(b.Aside)))
	}
	switch {
	case !b.Copied.IsZero():
		parts = append(parts, fmt.Sprintf("The bot goes on with a copy of the database, made on %s.", b.Copied.UTC().Format("2 January 2006 at 15:04 UTC")),
			"What happened since then is forgotten: questions that were open are closed, deferred runs that were due are not run, reminders that were due are posted unless they are there, and what was said while the bot was off is not answered. A deferred run or a reminder that was called off since then may come all the same.")
	case b.Trouble != "":
		parts = append(parts, "There is no good copy of it, so the bot begins with an empty one.")
	}
	return strings.Join(parts, " ")
}

// copyEvery is how often the database is copied, and so how much is lost at most if its file is
// damaged.
const copyEvery = 6 * time.Hour

// keepCopies copies the database now, just after Open has checked all of it, and then periodically.
func (b *Bot) keepCopies(ctx context.Context) {
	for {
		if err := b.core.db.Copy(ctx); err != nil && ctx.Err() == nil {
			b.core.log.ErrorContext(ctx, "the copy of the database is an old one", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(copyEvery):
		}
	}
}
