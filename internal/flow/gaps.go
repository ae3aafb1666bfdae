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
	maxMissed  = 50  // messages of a channel that are answered after an absence
	gapPage    = 100 // messages that are read at a time of what could not be accepted
	maxReaders = 2   // channels that are read at a time

	readTimeout = 30 * time.Second // how long reading a page may take

	firstPause, lastPause = 2 * time.Second, 16 * time.Second // between tries, each twice as long as the one before
)

// A gapReader reads what was said while the bot was away, or could not be accepted. Channels
// without a gap cost nothing. What is read of a channel waits behind what is said there now,
// and no other channel waits for it.
type gapReader struct {
	*kit
	route   func(context.Context, chat.Message, Arrival)
	readers chan struct{} // has an element for each channel that is being read
}

func newGapReader(k *kit, route func(context.Context, chat.Message, Arrival)) *gapReader {
	return &gapReader{kit: k, route: route, readers: make(chan struct{}, maxReaders)}
}

// pasts are the channels that the bot listens to: on a server, or on all if it is empty.
func (g *gapReader) pasts(guild chat.GuildID) (list []chat.LastMessage) {
	for _, at := range g.Server.LastMessages() {
		if g.Access.Listens(at.Place) && (guild == "" || at.Guild == guild) {
			list = append(list, at)
		}
	}
	return list
}

// read has gaps read, each in its channel.
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

// readGap takes in what is in a gap, in the way of everything that is heard.
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
			return // there is a later one in the channel, which has all of it
		}
		gap.After = upTo
	}
	g.Inbox.CloseGap(gap, upTo)
	g.Log.InfoContext(ctx, "gap read", "channel", gap.Place.Channel, "messages", n)
}

// trim leaves out what is too much to be answered after an absence.
func (g *gapReader) trim(ctx context.Context, gap inbox.Gap, page []chat.Message) []chat.Message {
	if gap.Refused || len(page) <= maxMissed {
		return page
	}
	g.Log.WarnContext(ctx, "too many missed messages", "channel", gap.Place.Channel)
	g.Report(ctx, fmt.Sprintf("⚠️ While the bot was away, more was said in %s than it takes up afterwards. It has read the first %d messages, and left the rest alone.", gap.Place.Mention(), maxMissed))
	return page[:maxMissed]
}

// readLater has a gap read in a while, unless that is done by then: a login finds it, too.
func (g *gapReader) readLater(gap inbox.Gap) {
	g.bg.Go("gap", func(ctx context.Context) {
		if g.bg.Pause(ctx, retryDelay) && g.Inbox.IsOpen(gap) {
			g.read([]inbox.Gap{gap})
		}
	})
}

// fetch fetches a page of a gap, and tries again for a while if Discord does not answer.
func (g *gapReader) fetch(ctx context.Context, gap inbox.Gap) ([]chat.Message, error) {
	page, err := g.fetchPage(ctx, gap)
	for pause := firstPause; isPassing(err) && pause <= lastPause; pause *= 2 {
		sleep.For(ctx, pause)
		page, err = g.fetchPage(ctx, gap)
	}
	return page, err
}

// fetchPage fetches the first messages of a gap, oldest first: of what was said during an
// absence, what is not too old, and one more than is answered.
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
