package flow

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/status"
)

const (
	maxMissed = 50 // messages for the bot that are answered in a channel after an absence

	// Pages that are read in a channel after an absence, so that a busy channel does not hold up the start: those of
	// messages that may be answered, and those of older ones, among which one for the bot is looked for.
	maxPages, maxOldPages = 10, 5
)

// An absence is a gap of the time in which the bot was away, while it is being read. Only messages for the bot count:
// the talk between them becomes history.
type absence struct {
	*gapReader
	gap    inbox.Gap
	oldest chat.MessageID // messages before it are too old to be answered
	upTo   chat.MessageID // the last message that needs no further look
	read   int            // messages that were read
	taken  int            // messages for the bot among those, accepted now or earlier
	left   bool           // a message for the bot is not answered, because of its age or of maxMissed
	cut    bool           // more was said than is taken up, and the rest is left alone
}

// readMissed reads what was written while the bot was away until back, and has people be told of messages that
// are not answered. It returns the message up to which nothing is left to do.
func (g *gapReader) readMissed(ctx context.Context, gap inbox.Gap, back time.Time) (chat.MessageID, error) {
	a := &absence{gapReader: g, gap: gap, oldest: chat.FirstAt(g.server.Now().Add(-g.catchUp)), upTo: gap.Latest}
	if empty, err := a.isEmpty(ctx); empty || err != nil {
		return a.upTo, err
	}
	if err := a.readRecent(ctx); err != nil {
		return a.upTo, err
	}
	if err := a.lookBack(ctx); err != nil {
		return a.upTo, err
	}
	g.log.InfoContext(ctx, "gap read", "channel", gap.Place.Channel, "messages", a.read, "taken", a.taken)
	if g.inbox.IsOpen(gap) {
		a.tell(ctx, back)
	}
	return a.upTo, nil
}

// isEmpty reports whether nothing is in a gap whose latest message is unknown. It saves requests where nothing was
// said for long.
func (a *absence) isEmpty(ctx context.Context) (bool, error) {
	if a.gap.Latest != "" || !a.oldest.After(a.gap.After) {
		return false, nil
	}
	at := a.gap.Place
	at.Message = a.gap.After
	first, err := a.fetch(ctx, at, a.server.MessagesAfter, 1)
	return len(first) == 0, err
}

// readRecent routes the messages that are young enough, oldest first.
func (a *absence) readRecent(ctx context.Context) error {
	at := a.gap.Place
	at.Message = a.gap.After
	if a.oldest.After(at.Message) {
		at.Message = a.oldest
	}
	if a.gap.Latest != "" && at.Message.After(a.gap.Latest) {
		return nil
	}
	for range maxPages {
		page, err := a.fetch(ctx, at, a.server.MessagesAfter, gapPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			at.Message = m.ID
			a.take(ctx, m)
		}
		if len(page) < gapPage || !a.inbox.IsOpen(a.gap) {
			return nil
		}
	}
	a.cut = true
	return nil
}

// take routes a message, unless it is one too many.
func (a *absence) take(ctx context.Context, m chat.Message) {
	a.read++
	if m.ID.After(a.upTo) {
		a.upTo = m.ID
	}
	if a.router.isForBot(ctx, m) {
		if a.taken == maxMissed {
			a.leave(ctx, m)
			a.cut = a.cut || a.left
			return
		}
		a.taken++
	}
	a.router.tell(ctx, m, pipeline.Missed)
}

// lookBack looks for a message for the bot that is too old to be answered, the latest first.
func (a *absence) lookBack(ctx context.Context) error {
	at := a.gap.Place
	at.Message = a.oldest
	for range maxOldPages {
		if a.left || !at.Message.After(a.gap.After) {
			return nil
		}
		page, err := a.fetch(ctx, at, a.server.MessagesBefore, gapPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			at.Message = m.ID
			if a.read++; !a.left && m.ID.After(a.gap.After) && a.router.isForBot(ctx, m) {
				a.leave(ctx, m)
			}
		}
		if len(page) == 0 || !a.inbox.IsOpen(a.gap) {
			return nil
		}
	}
	return nil
}

// leave notes that a message of a person is not answered. One that was accepted is answered: by an earlier process
// that ended before it had read the gap, or because it also arrived as a live event.
func (a *absence) leave(ctx context.Context, m chat.Message) {
	if m.Author.Bot || a.gap.Latest != "" && m.ID.After(a.gap.Latest) {
		return
	}
	accepted, err := a.inbox.Has(ctx, inbox.EventID(m.ID))
	if err != nil {
		a.log.ErrorContext(ctx, "cannot look up whether a message was accepted", "channel", m.Place.Channel, "message", m.ID, "err", err)
	}
	a.left = a.left || err == nil && !accepted
}

// tell has people be told in the channel that messages are not answered, and operators of limits that were reached.
func (a *absence) tell(ctx context.Context, back time.Time) {
	if a.cut {
		a.log.WarnContext(ctx, "too much missed talk, the rest is left alone", "channel", a.gap.Place.Channel, "messages", a.read)
		a.report(ctx, status.News, fmt.Sprintf("⚠️ While the bot was away, more was said in %s than it takes up afterwards: of the last %s, at most %d messages, and %d of them for the bot. It has left the rest alone.",
			a.gap.Place.Mention(), chat.Span(a.catchUp), maxPages*gapPage, maxMissed))
	}
	if a.left {
		text := fmt.Sprintf("I was away until %s and have not answered everything from that time, so please ask again.", chat.Clock(back))
		a.away.Tell(ctx, away{Place: a.gap.Place, After: a.gap.After, Text: text}, pipeline.Missed)
	}
}
