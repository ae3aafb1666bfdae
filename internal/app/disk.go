package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
)

// A disk watches the disk of the data directory, so that operators learn that it is full before
// anything fails: some room was reserved while there was any.
type disk struct {
	folder string
	db     *store.DB
	report func(ctx context.Context, k status.Kind, what string)
	log    *slog.Logger
	used   chan struct{} // has an element if something was written since the last check

	full bool // what operators were told last
}

func newDisk(c *Core, report func(context.Context, status.Kind, string)) *disk {
	return &disk{folder: c.dataDir, db: c.db, report: report, log: c.log, used: make(chan struct{}, 1)}
}

// watch checks the disk after each turn, now and then, and every minute while it is full or nothing is reserved, until ctx ends.
func (d *disk) watch(ctx context.Context) {
	for {
		wait := 10 * time.Minute
		if d.full || !d.db.HasReserve() {
			wait = time.Minute
		}
		select {
		case <-ctx.Done():
			return
		case <-d.used:
		case <-time.After(wait):
		}
		d.look(ctx)
	}
}

// nudge makes watch check the disk soon, because something was written.
func (d *disk) nudge() {
	select {
	case d.used <- struct{}{}:
	default: // a check is due already
	}
}

// look checks the disk: it renews the reserve, and reports when the disk becomes full and when it
// no longer is.
func (d *disk) look(ctx context.Context) {
	err := d.db.Reserve(ctx)
	switch {
	case ctx.Err() != nil:
	case isFull(err) && !d.full:
		d.full = true
		d.log.ErrorContext(ctx, "the disk is full", "err", err)
		d.report(ctx, status.Storage, fmt.Sprintf("⚠️ The disk is full: make room where `%s` is. What is running goes on with what the bot has set aside for that; when it is used up, nothing new is started, and what people write is answered when there is room.", d.folder))
	case err == nil && d.full:
		d.full = false
		d.log.InfoContext(ctx, "there is room on the disk again")
		d.report(ctx, status.News, "There is room on the disk again.")
	case err != nil && !isFull(err):
		d.log.ErrorContext(ctx, "nobody can say whether the disk is full", "err", err)
	}
}

// isFull reports whether an error means that the disk is full, or a quota used up.
func isFull(err error) bool {
	return errors.Is(err, store.ErrFull) || atomicfile.IsFull(err)
}
