package flow

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/convo"
	"discoclaw/internal/inbox"
	"discoclaw/internal/sleep"
)

const (
	mostMissed  = 50 // messages of a channel that are taken up
	mostReaders = 2  // channels that are read at a time

	readTime = 30 * time.Second // how long reading one may take

	firstPause, lastPause = 2 * time.Second, 16 * time.Second // between tries, each twice as long as the one before
)

// catchUp looks for what was said while nobody listened, after a session with Discord has
// begun anew. Channels without news cost nothing. What is read of a channel has its turn
// before what is heard there from now on, and no other channel waits for it.
func (f *Flows) catchUp() {
	if f.Inbox == nil {
		return
	}
	everywhere := func(chat.Past) bool { return true }
	f.readAll(f.Inbox.Behind(f.pasts(everywhere)))
	f.readAll(f.Inbox.BehindInPrivate())
}

// Regained is told of a server of which the bot has heard nothing for a while, though the
// session went on.
func (f *Flows) Regained(g chat.GuildID) {
	f.history.Missed()
	if f.Inbox != nil {
		f.takeUp()
		f.readAll(f.Inbox.Behind(f.pasts(func(at chat.Past) bool { return at.Guild == g })))
	}
	f.catchUpOnAnswers(g)
}

// pasts are those channels that the bot listens to.
func (f *Flows) pasts(which func(chat.Past) bool) (list []chat.Past) {
	for _, at := range f.Server.Pasts() {
		if f.Access.Listens(at.Place) && which(at) {
			list = append(list, at)
		}
	}
	return list
}

// readAll has gaps read, each in its channel.
func (f *Flows) readAll(gaps []inbox.Gap) {
	for _, gap := range gaps {
		if f.CatchUp == 0 {
			f.Inbox.CaughtUp(gap, gap.Latest)
			continue
		}
		f.convo.Add(convo.Work{
			ID: "missed-" + string(gap.Place.Channel), Channel: gap.Place.Channel, Apart: true,
			Run: func(ctx context.Context, _ []chat.Message) { f.readMissed(ctx, gap) },
		})
	}
}

// readMissed reads a gap and takes up what is in it, in the way of everything that is
// heard.
func (f *Flows) readMissed(ctx context.Context, gap inbox.Gap) {
	select {
	case f.readers <- struct{}{}:
		defer func() { <-f.readers }()
	case <-ctx.Done():
		return // the next start reads it
	}
	page, err := f.fetchMissed(ctx, gap)
	for pause := firstPause; isPassing(err) && pause <= lastPause; pause *= 2 {
		sleep.For(ctx, pause)
		page, err = f.fetchMissed(ctx, gap)
	}
	switch {
	case isGoingDown(ctx):
		return
	case isPassing(err):
		f.Log.WarnContext(ctx, "missed messages not read yet", "channel", gap.Place.Channel, "err", err)
		f.readLater(gap)
		return
	case err != nil:
		f.Log.WarnContext(ctx, "missed messages cannot be read", "channel", gap.Place.Channel, "err", err)
	case len(page) > mostMissed:
		page = page[:mostMissed]
		f.Log.WarnContext(ctx, "too many missed messages", "channel", gap.Place.Channel)
		f.Report(ctx, fmt.Sprintf("⚠️ While the bot was away, more was said in %s than it takes up afterwards. It has read the first %d messages, and left the rest alone.", gap.Place.Whereabouts(), mostMissed))
	}
	upTo := gap.Latest
	var works []convo.Work
	for _, m := range page {
		f.missed.add(m.ID)
		if work, ok := f.take(ctx, wayBack(m), m); ok {
			works = append(works, work)
		}
		if m.ID.After(upTo) {
			upTo = m.ID
		}
	}
	f.convo.Insert(gap.Place.Channel, works...)
	f.Inbox.CaughtUp(gap, upTo)
	f.Log.InfoContext(ctx, "missed messages read", "channel", gap.Place.Channel, "messages", len(page), "taken up", len(works))
}

// readLater has a gap read in a while, unless that is done by then: a login finds it, too.
func (f *Flows) readLater(gap inbox.Gap) {
	f.aside.Go("missed messages", func(ctx context.Context) {
		if f.aside.Pause(ctx, aWhile) && f.Inbox.IsOpen(gap) {
			f.readAll([]inbox.Gap{gap})
		}
	})
}

// fetchMissed fetches what is in a gap and not too old, oldest first, and one more than is
// taken up.
func (f *Flows) fetchMissed(ctx context.Context, gap inbox.Gap) ([]chat.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	at := gap.Place
	at.Message = gap.After
	if oldest := chat.FirstAt(f.Server.Now().Add(-f.CatchUp)); oldest.After(at.Message) {
		if gap.Latest != "" && oldest.After(gap.Latest) {
			return nil, nil
		}
		at.Message = oldest
	}
	return f.Server.Later(ctx, at, mostMissed+1)
}
