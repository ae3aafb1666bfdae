package flow

import (
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/status"
)

const (
	maxMissed = 50 // messages for the bot that are answered in a channel after an absence

	// Pages that are read in a channel after an absence, so that a busy channel does not hold up the start: those of
	// messages that may be answered, and those of older ones, which are only counted.
	maxPages, maxOldPages = 10, 5
)

// An absence is a gap of the time in which the bot was away, while it is being read. Only messages for the bot count:
// the talk between them becomes history.
type absence struct {
	*gapReader
	gap     inbox.Gap
	oldest  chat.MessageID // messages before it are too old to be answered
	upTo    chat.MessageID // the last message that needs no further look
	read    int            // messages that were read
	taken   int            // messages for the bot among those, accepted now or earlier
	tooOld  int            // messages for the bot that are not answered because of their age
	tooMany int            // messages for the bot that are not answered because of maxMissed
	cut     bool           // messages after the last page that was read are left alone
	cutOld  bool           // some old messages were not counted
}

// readMissed reads what was written while the bot was away until back, and has people be told of messages that
// are not answered. It returns the message up to which nothing is left to do.
func (g *gapReader) readMissed(ctx context.Context, gap inbox.Gap, back time.Time) (chat.MessageID, error) {
	a := &absence{gapReader: g, gap: gap, oldest: chat.FirstAt(g.Server.Now().Add(-g.CatchUp)), upTo: gap.Latest}
	if empty, err := a.isEmpty(ctx); empty || err != nil {
		return a.upTo, err
	}
	if err := a.readRecent(ctx); err != nil {
		return a.upTo, err
	}
	if err := a.countOld(ctx); err != nil {
		return a.upTo, err
	}
	g.Log.InfoContext(ctx, "gap read", "channel", gap.Place.Channel, "messages", a.read, "taken", a.taken)
	if g.Inbox.IsOpen(gap) {
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
	first, err := a.fetch(ctx, at, a.Server.MessagesAfter, 1)
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
		page, err := a.fetch(ctx, at, a.Server.MessagesAfter, gapPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			at.Message = m.ID
			a.take(ctx, m)
		}
		if len(page) < gapPage || !a.Inbox.IsOpen(a.gap) {
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
	if a.flows.isForBot(ctx, m) {
		if a.taken == maxMissed {
			a.leave(ctx, m, &a.tooMany)
			return
		}
		a.taken++
	}
	a.flows.route(ctx, m, Missed)
}

// countOld counts the messages for the bot that are too old to be answered, the latest first.
func (a *absence) countOld(ctx context.Context) error {
	at := a.gap.Place
	at.Message = a.oldest
	if !a.oldest.After(a.gap.After) {
		return nil
	}
	for range maxOldPages {
		page, err := a.fetch(ctx, at, a.Server.MessagesBefore, gapPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			if !m.ID.After(a.gap.After) {
				return nil
			}
			at.Message = m.ID
			a.read++
			if a.flows.isForBot(ctx, m) {
				a.leave(ctx, m, &a.tooOld)
			}
		}
		if len(page) == 0 || !a.Inbox.IsOpen(a.gap) {
			return nil
		}
	}
	a.cutOld = true
	return nil
}

// leave counts a message of a person that is not answered. One that was accepted is answered: by an earlier process
// that ended before it had read the gap, or because it also arrived as a live event.
func (a *absence) leave(ctx context.Context, m chat.Message, count *int) {
	if m.Author.Bot || a.gap.Latest != "" && m.ID.After(a.gap.Latest) {
		return
	}
	accepted, err := a.Inbox.Has(ctx, inbox.EventID(m.ID))
	if err != nil {
		a.Log.ErrorContext(ctx, "cannot look up whether a message was accepted", "channel", m.Place.Channel, "message", m.ID, "err", err)
	}
	if err == nil && !accepted {
		*count++
	}
}

// tell has people be told in the channel of messages that are not answered, and operators of limits that were reached.
func (a *absence) tell(ctx context.Context, back time.Time) {
	where := a.gap.Place.Mention()
	if a.tooMany > 0 {
		a.Log.WarnContext(ctx, "too many missed messages", "channel", a.gap.Place.Channel)
		a.Report(ctx, status.News, fmt.Sprintf("⚠️ While the bot was away, more was asked in %s than it takes up afterwards. It has taken up the first %d messages, and asked people there to write the others again.", where, maxMissed))
	}
	if a.cut {
		a.Log.WarnContext(ctx, "too much missed talk, the rest is not read", "channel", a.gap.Place.Channel, "messages", a.read)
		a.Report(ctx, status.News, fmt.Sprintf("⚠️ While the bot was away, more was said in %s than it reads afterwards. It has read the first %d messages of the last %s, and left the rest alone.", where, maxPages*gapPage, chat.Span(a.CatchUp)))
	}
	if a.cutOld {
		a.Log.WarnContext(ctx, "too much old talk, the rest is not counted", "channel", a.gap.Place.Channel, "messages", a.read)
	}
	if a.tooOld+a.tooMany > 0 {
		a.flows.away.tell(ctx, away{Place: a.gap.Place, After: a.gap.After, Text: a.text(back)}, Missed)
	}
}

// text returns what people read in the channel about messages that are not answered.
func (a *absence) text(back time.Time) string {
	count := chat.Counted(a.tooOld+a.tooMany, "message", "messages")
	if a.cut || a.cutOld {
		count = "at least " + count
	}
	var limits []string
	if a.tooOld > 0 {
		limits = append(limits, "go back only "+chat.Span(a.CatchUp))
	}
	if a.tooMany > 0 {
		limits = append(limits, fmt.Sprintf("take up only the first %d", maxMissed))
	}
	return fmt.Sprintf("I was away until %s. I have not answered %s from that time, since I %s. Please ask again.",
		chat.Clock(back), count, strings.Join(limits, " and "))
}

// isForBot reports whether a message that was missed would be answered.
func (f *Flows) isForBot(ctx context.Context, m chat.Message) bool {
	in := f.entryOf(ctx, m)
	return in.objection(ctx, in.event(m, Missed)) == access.Admitted
}
