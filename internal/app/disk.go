package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/store"
)

// A disk is what the data directory is on. It is watched, so that operators hear that it
// is full before anything comes of that: room was set aside while there was some.
type disk struct {
	folder string
	db     *store.DB
	report func(ctx context.Context, what string)
	log    *slog.Logger
	used   chan struct{} // has an element if something was written since the last look

	full bool // operators were told so, and nothing else since
}

func newDisk(c *Core, report func(context.Context, string)) *disk {
	return &disk{folder: c.dataDir, db: c.db, report: report, log: c.log, used: make(chan struct{}, 1)}
}

// watch looks every minute and after each turn, until ctx ends.
func (d *disk) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.used:
		case <-time.After(time.Minute):
		}
		d.look(ctx)
	}
}

// nudge says that something was written.
func (d *disk) nudge() {
	select {
	case d.used <- struct{}{}:
	default: // it will look anyway
	}
}

// look sets room aside again where some was used, and tells the operators when the disk
// becomes full and when it no longer is.
func (d *disk) look(ctx context.Context) {
	err := d.db.Reserve(ctx)
	switch {
	case ctx.Err() != nil:
	case isFull(err) && !d.full:
		d.full = true
		d.log.ErrorContext(ctx, "the disk is full", "err", err)
		d.report(ctx, fmt.Sprintf("⚠️ The disk is full: make room where `%s` is. What is running goes on with what the bot has set aside for that; when it is used up, nothing new is started, and what people write is answered when there is room.", d.folder))
	case err == nil && d.full:
		d.full = false
		d.log.InfoContext(ctx, "there is room on the disk again")
		d.report(ctx, "There is room on the disk again.")
	case err != nil && !isFull(err):
		d.log.ErrorContext(ctx, "nobody can say whether the disk is full", "err", err)
	}
}

// isFull says whether an error is that of a full disk, or of one on which somebody has no
// more room.
func isFull(err error) bool {
	return errors.Is(err, store.ErrFull) || atomicfile.IsFull(err)
}
