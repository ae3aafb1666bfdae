package flow

import (
	"context"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/sleep"
)

const (
	gapPage    = 100 // messages per page of a gap
	maxReaders = 2   // channels that are read concurrently

	readTimeout = 30 * time.Second // timeout for reading a page

	firstPause, lastPause = 2 * time.Second, 16 * time.Second // first and last pause of the exponential backoff
)

// A gapReader reads the messages that were sent while the bot was away, or that could not be accepted. Channels
// without a gap cost no request. The messages of a gap are queued behind live messages of the same channel, and
// do not delay other channels.
type gapReader struct {
	*deps
	away    *pipeline.Entry[away]
	readers chan struct{} // semaphore: has an element for each channel that is being read
}

func newGapReader(d *deps, told *pipeline.Entry[away]) *gapReader {
	return &gapReader{deps: d, away: told, readers: make(chan struct{}, maxReaders)}
}

// pasts returns the channels that the bot listens to on a server, or on all servers if guild is empty.
func (g *gapReader) pasts(guild chat.GuildID) (list []chat.LastMessage) {
	for _, at := range g.server.LastMessages() {
		if g.access.Listens(at.Place) && (guild == "" || at.Guild == guild) {
			list = append(list, at)
		}
	}
	return list
}

// read enqueues the reading of gaps, each in its channel. If nothing is caught up on, it closes the gaps that an
// absence left.
func (g *gapReader) read(gaps []inbox.Gap) {
	back := g.server.Now()
	for _, gap := range gaps {
		if g.catchUp == 0 && !gap.Refused {
			g.inbox.CloseGap(gap, gap.Latest)
			continue
		}
		g.enqueue(gap, back)
	}
}

// enqueue enqueues the reading of a gap. The bot was away until back.
func (g *gapReader) enqueue(gap inbox.Gap, back time.Time) {
	g.pipe.Apart("gap-"+string(gap.Place.Channel), gap.Place.Channel, func(ctx context.Context) { g.readGap(ctx, gap, back) })
}

// readGap reads a gap, routes its messages like live ones, and closes it.
func (g *gapReader) readGap(ctx context.Context, gap inbox.Gap, back time.Time) {
	select {
	case g.readers <- struct{}{}:
		defer func() { <-g.readers }()
	case <-ctx.Done():
		return // the next start reads it
	}
	var upTo chat.MessageID
	var err error
	if gap.Refused {
		upTo, err = g.readRefused(ctx, &gap)
	} else {
		upTo, err = g.readMissed(ctx, gap, back)
	}
	switch {
	case pipeline.IsGoingDown(ctx) || !g.inbox.IsOpen(gap): // a later gap of the channel covers all of this one
		return
	case pipeline.IsPassing(err):
		g.log.WarnContext(ctx, "cannot read a gap yet", "channel", gap.Place.Channel, "err", err)
		g.readLater(gap, back)
		return
	case err != nil:
		g.log.WarnContext(ctx, "cannot read a gap", "channel", gap.Place.Channel, "err", err)
	}
	g.inbox.CloseGap(gap, upTo)
}

// readRefused reads the messages that could not be accepted: all of them, however many and however old. It moves the
// beginning of the gap, so that a retry begins with the page that failed.
func (g *gapReader) readRefused(ctx context.Context, gap *inbox.Gap) (upTo chat.MessageID, err error) {
	for more := true; more; {
		at := gap.Place
		at.Message = gap.After
		page, err := g.fetch(ctx, at, g.server.MessagesAfter, gapPage)
		if err != nil {
			return gap.After, err
		}
		for _, m := range page {
			g.router.tell(ctx, m, pipeline.Missed)
			gap.After = m.ID
		}
		more = len(page) == gapPage && g.inbox.IsOpen(*gap)
	}
	g.log.InfoContext(ctx, "gap read", "channel", gap.Place.Channel)
	return gap.After, nil
}

// readLater reads a gap after retryDelay, unless it is closed by then: a login reads it, too.
func (g *gapReader) readLater(gap inbox.Gap, back time.Time) {
	g.pipe.Go("gap", func(ctx context.Context) {
		if g.pipe.Pause(ctx, pipeline.RetryDelay) && g.inbox.IsOpen(gap) {
			g.enqueue(gap, back)
		}
	})
}

// A pager returns messages next to that of a place.
type pager func(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error)

// fetch fetches a page of messages. It retries temporary errors, with exponential backoff.
func (g *gapReader) fetch(ctx context.Context, at chat.Place, read pager, limit int) ([]chat.Message, error) {
	try := func() ([]chat.Message, error) {
		ctx, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		return read(ctx, at, limit)
	}
	page, err := try()
	for pause := firstPause; pipeline.IsPassing(err) && pause <= lastPause; pause *= 2 {
		sleep.For(ctx, pause)
		page, err = try()
	}
	return page, err
}
