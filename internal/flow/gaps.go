package flow

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/sleep"
	"discoclaw/internal/turn/convo"
)

const (
	maxMissed  = 50  // messages per channel that are answered after an absence
	gapPage    = 100 // messages per page when a gap of refused messages is read
	maxReaders = 2   // channels that are read concurrently

	readTimeout = 30 * time.Second // timeout for reading a page

	firstPause, lastPause = 2 * time.Second, 16 * time.Second // first and last pause of the exponential backoff
)

// A gapReader reads the messages that were sent while the bot was away, or that could not be accepted. Channels
// without a gap cost no request. The messages of a gap are queued behind live messages of the same channel, and
// do not delay other channels.
type gapReader struct {
	*kit
	route   func(context.Context, chat.Message, Arrival)
	readers chan struct{} // semaphore: has an element for each channel that is being read
}

func newGapReader(k *kit, route func(context.Context, chat.Message, Arrival)) *gapReader {
	return &gapReader{kit: k, route: route, readers: make(chan struct{}, maxReaders)}
}

// pasts returns the channels that the bot listens to on a server, or on all servers if guild is empty.
func (g *gapReader) pasts(guild chat.GuildID) (list []chat.LastMessage) {
	for _, at := range g.Server.LastMessages() {
		if g.Access.Listens(at.Place) && (guild == "" || at.Guild == guild) {
			list = append(list, at)
		}
	}
	return list
}

// read enqueues the reading of gaps, each in its channel. If nothing is caught up on, it closes the gaps that an
// absence left.
func (g *gapReader) read(gaps []inbox.Gap) {
	for _, gap := range gaps {
		if g.CatchUp == 0 && !gap.Refused {
			g.Inbox.CloseGap(gap, gap.Latest)
			continue
		}
		g.convo.Add(convo.Work{
			ID: "gap-" + string(gap.Place.Channel), Channel: gap.Place.Channel, Apart: true,
			Run: func(ctx context.Context, _ []any) { g.readGap(ctx, gap) },
		})
	}
}

// readGap reads a gap and routes its messages like live ones.
func (g *gapReader) readGap(ctx context.Context, gap inbox.Gap) {
	select {
	case g.readers <- struct{}{}:
		defer func() { <-g.readers }()
	case <-ctx.Done():
		return // the next start reads it
	}
	upTo, n := gap.Latest, 0
	for more := true; more; {
		page, err := g.fetch(ctx, gap)
		switch {
		case isGoingDown(ctx):
			return
		case isPassing(err):
			g.Log.WarnContext(ctx, "cannot read a gap yet", "channel", gap.Place.Channel, "err", err)
			g.readLater(gap)
			return
		case err != nil:
			g.Log.WarnContext(ctx, "cannot read a gap", "channel", gap.Place.Channel, "err", err)
		}
		more = gap.Refused && len(page) == gapPage
		for _, m := range g.trim(ctx, gap, page) {
			g.route(ctx, m, Missed)
			if m.ID.After(upTo) {
				upTo = m.ID
			}
			n++
		}
		if !g.Inbox.IsOpen(gap) {
			return // a later gap of the channel has replaced it, and covers all of it
		}
		gap.After = upTo
	}
	g.Inbox.CloseGap(gap, upTo)
	g.Log.InfoContext(ctx, "gap read", "channel", gap.Place.Channel, "messages", n)
}

// trim cuts the messages of an absence to maxMissed, and reports that to the operators. Refused messages are never
// cut.
func (g *gapReader) trim(ctx context.Context, gap inbox.Gap, page []chat.Message) []chat.Message {
	if gap.Refused || len(page) <= maxMissed {
		return page
	}
	g.Log.WarnContext(ctx, "too many missed messages", "channel", gap.Place.Channel)
	g.Report(ctx, fmt.Sprintf("⚠️ While the bot was away, more was said in %s than it takes up afterwards. It has read the first %d messages, and left the rest alone.", gap.Place.Mention(), maxMissed))
	return page[:maxMissed]
}

// readLater reads a gap after retryDelay, unless it is closed by then: a login reads it, too.
func (g *gapReader) readLater(gap inbox.Gap) {
	g.bg.Go("gap", func(ctx context.Context) {
		if g.bg.Pause(ctx, retryDelay) && g.Inbox.IsOpen(gap) {
			g.read([]inbox.Gap{gap})
		}
	})
}

// fetch fetches a page of a gap. It retries temporary errors, with exponential backoff.
func (g *gapReader) fetch(ctx context.Context, gap inbox.Gap) ([]chat.Message, error) {
	page, err := g.fetchPage(ctx, gap)
	for pause := firstPause; isPassing(err) && pause <= lastPause; pause *= 2 {
		sleep.For(ctx, pause)
		page, err = g.fetchPage(ctx, gap)
	}
	return page, err
}

// fetchPage fetches the first messages of a gap, oldest first. After an absence, it skips those older than CatchUp,
// and fetches one more than is answered, so that trim can tell whether there are too many.
func (g *gapReader) fetchPage(ctx context.Context, gap inbox.Gap) ([]chat.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	at := gap.Place
	at.Message = gap.After
	if gap.Refused {
		return g.Server.MessagesAfter(ctx, at, gapPage)
	}
	if oldest := chat.FirstAt(g.Server.Now().Add(-g.CatchUp)); oldest.After(at.Message) {
		if gap.Latest != "" && oldest.After(gap.Latest) {
			return nil, nil
		}
		at.Message = oldest
	}
	return g.Server.MessagesAfter(ctx, at, maxMissed+1)
}
