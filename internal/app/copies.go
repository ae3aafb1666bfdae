package app

import (
	"context"
	"errors"
	"path/filepath"
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
	if mishap := began.Mishap(); mishap != "" {
		b.core.log.ErrorContext(ctx, mishap, "aside", began.Aside)
	}
	return nil
}

// copyEvery is how often the database is copied, and so how much is lost at most if its file is
// damaged.
const copyEvery = 6 * time.Hour

// keepCopies copies the database when that is first due, just after Open has checked all of it, and then periodically.
func (b *Bot) keepCopies(ctx context.Context) {
	for wait := b.core.db.FirstCopy(); ; wait = copyEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if err := b.core.db.Copy(ctx); err != nil && ctx.Err() == nil {
			b.core.log.ErrorContext(ctx, "the copy of the database is an old one", "err", err)
		}
	}
}
