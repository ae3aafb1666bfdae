package inbox

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
	"discoclaw/internal/store"
)

// A Gap is a range of a channel's messages that has not been read: they were written while the bot
// was offline, or could not be accepted.
type Gap struct {
	Place   chat.Place     // the channel
	After   chat.MessageID // the last message before it
	Latest  chat.MessageID // the last in it; empty if unknown
	Refused bool           // its messages could not be accepted, so all are owed an answer

	number int // unique in this process
}

// Gaps compares the watermarks with the latest message of each channel, which is the Message
// of its place, and returns the gaps, by channel. Each stays open until CloseGap. A channel
// without a watermark has no gap and is read from here on, unless it was made while the bot was
// offline; then all of its messages are in the gap. Messages from before the bot joined the
// server are in no gap.
func (b *Inbox) Gaps(latest []chat.LastMessage) []Gap {
	m := b.watermarks
	heard, everywhere := m.heardSoFar()
	var gaps []Gap
	for _, at := range latest {
		after, known := m.get(at.Channel)
		before := cmp.Or(heard[at.Guild], everywhere)
		if !known && before > 0 && isMadeAfter(at, before) {
			// The first post of a forum's thread has the thread's ID.
			after, known = number(at.Channel)-1, true
			// With a watermark, or live messages of other channels would make it count as one
			// that was there before.
			m.advanceLazily(upTo(at.Place, after))
		}
		// A bot that was removed and invited again must not read messages of the time between.
		after = max(after, number(chat.FirstAt(at.Joined)))
		switch {
		case !known:
			m.advanceLazily(at.Place)
		case number(at.Message) > after:
			gaps = append(gaps, gap(at.Place, after))
		}
	}
	for _, at := range latest { // only now that all of them have watermarks
		m.hear(at.Guild, max(number(at.Channel), number(at.Message)))
	}
	return m.opened(gaps)
}

// DirectMessageGaps is Gaps for direct messages. Their latest messages are unknown until they are
// fetched, so each channel is returned as a gap.
func (b *Inbox) DirectMessageGaps() []Gap {
	var gaps []Gap
	for ch, after := range b.watermarks.direct() {
		gaps = append(gaps, gap(chat.Place{Channel: ch}, after))
	}
	return b.watermarks.opened(gaps)
}

func byChannel(a, b Gap) int { return cmp.Compare(a.Place.Channel, b.Place.Channel) }

// opened opens gaps, and sorts them by channel.
func (m *watermarks) opened(gaps []Gap) []Gap {
	order.By(gaps, byChannel)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range gaps {
		gaps[i].number = m.openGap(gaps[i].Place.Channel)
	}
	return gaps
}

// isMadeAfter reports whether a channel was made after a message was written. A thread on a
// message has that message's ID, so its ID alone does not tell. A channel of the same
// millisecond counts: reading too much does no harm, since the inbox dedupes.
func isMadeAfter(at chat.LastMessage, message int64) bool {
	return number(at.Channel) > message || number(chat.FirstAt(at.Made.Add(time.Millisecond))) > message
}

func gap(at chat.Place, after int64) Gap {
	g := Gap{Place: at, After: upTo(at, after).Message, Latest: at.Message}
	g.Place.Message = ""
	return g
}

// upTo returns a channel's place with this message.
func upTo(at chat.Place, message int64) chat.Place {
	at.Message = chat.MessageID(strconv.FormatInt(message, 10))
	return at
}

// Refuse opens a gap before a message that could not be accepted. The gap begins at the channel's
// watermark, and waits for TakeRefused.
func (b *Inbox) Refuse(at chat.Place) {
	m := b.watermarks
	m.mu.Lock()
	defer m.mu.Unlock()
	g, waits := m.refused[at.Channel]
	if !waits {
		before, known := m.at[at.Channel]
		if !known {
			before = watermark{at.Guild, number(at.Message) - 1}
			m.at[at.Channel] = before
			m.saveSoon(upTo(at, before.message))
		}
		g = gap(at, before.message)
		g.Latest, g.Refused = "", true
	}
	// A gap of the channel that is just being read must not be closed when that ends.
	g.number = m.openGap(at.Channel)
	m.refused[at.Channel] = g
}

// TakeRefused returns the refused gaps, to be read once writing works again. They stay open until
// CloseGap.
func (b *Inbox) TakeRefused() []Gap {
	m := b.watermarks
	m.mu.Lock()
	defer m.mu.Unlock()
	gaps := slices.Collect(maps.Values(m.refused))
	order.By(gaps, byChannel)
	clear(m.refused)
	return gaps
}

// Track sets the watermark of a channel that has none: it is read from here on.
func (b *Inbox) Track(at chat.Place) {
	if !b.watermarks.known(at.Channel) {
		b.watermarks.advanceLazily(at)
	}
}

// CloseGap closes a gap once everything up to a message was accepted or skipped. If the channel has
// a later gap, that one is still open, and the watermark stays before both.
func (b *Inbox) CloseGap(g Gap, latest chat.MessageID) {
	seen, closed := b.watermarks.close(g)
	if !closed {
		return
	}
	b.watermarks.advanceLazily(upTo(g.Place, max(seen, number(latest))))
}

// IsOpen reports whether a gap is still open, without a later one in its channel.
func (b *Inbox) IsOpen(g Gap) bool {
	b.watermarks.mu.Lock()
	defer b.watermarks.mu.Unlock()
	open, found := b.watermarks.open[g.Place.Channel]
	return found && open.gap == g.number
}

// heardSoFar returns the latest live message of each server and of all. One server may have an
// outage while others work.
func (m *watermarks) heardSoFar() (heard map[chat.GuildID]int64, everywhere int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	heard = maps.Clone(m.heard)
	return heard, slices.Max(append(slices.Collect(maps.Values(heard)), 0))
}

// hear records a live message of a server.
func (m *watermarks) hear(g chat.GuildID, message int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard[g] = max(m.heard[g], message)
}

func (m *watermarks) get(ch chat.ChannelID) (int64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.at[ch]
	return found.message, ok
}

// direct returns the watermarks of direct messages.
func (m *watermarks) direct() map[chat.ChannelID]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := map[chat.ChannelID]int64{}
	for ch, mark := range m.at {
		if mark.guild == "" {
			found[ch] = mark.message
		}
	}
	return found
}

// openGap opens a gap in a channel, and returns its number. The caller holds the lock.
func (m *watermarks) openGap(ch chat.ChannelID) int {
	m.gaps++
	m.open[ch] = opening{seen: m.open[ch].seen, gap: m.gaps}
	return m.gaps
}

// close closes a gap, unless its channel has a later one, and returns the latest message that was
// seen while it was open.
func (m *watermarks) close(g Gap) (seen int64, closed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	open := m.open[g.Place.Channel]
	if open.gap != g.number {
		return 0, false
	}
	delete(m.open, g.Place.Channel)
	return open.seen, true
}

// A Past is how far channels had been read before a login, which may have missed events.
type Past struct {
	heard  int64 // the latest live message of all servers; 0 if there is none
	direct map[chat.ChannelID]int64
}

// Past returns how far channels have been read. It is called before Gaps, which says that they are heard from now on.
func (b *Inbox) Past() Past {
	_, heard := b.watermarks.heardSoFar()
	return Past{heard, b.watermarks.direct()}
}

// IsEmpty reports whether nothing was ever heard, so that nothing was missed.
func (p Past) IsEmpty() bool { return p.heard == 0 }

// DirectGap is DirectMessageGaps for direct messages that were opened since, with their latest message. It returns no
// gap if their watermark was known, or if nothing was written there since the past. The channel is read from here on.
func (b *Inbox) DirectGap(p Past, at chat.Place) []Gap {
	if _, known := p.direct[at.Channel]; known {
		return nil
	}
	if number(at.Message) <= p.heard {
		b.Track(upTo(at, p.heard))
		return nil
	}
	// With a watermark, or the next process would not find these messages if this one ends before it has read them.
	b.watermarks.advanceLazily(upTo(at, p.heard))
	return b.watermarks.opened([]Gap{gap(at, p.heard)})
}

// Directs returns whose direct messages the bot has opened.
func (b *Inbox) Directs(ctx context.Context) (map[chat.UserID]bool, error) {
	people, err := store.All(ctx, b.db, store.Column[chat.UserID], "SELECT person FROM directs")
	if err != nil {
		return nil, fmt.Errorf("look whose direct messages are open: %w", err)
	}
	opened := map[chat.UserID]bool{}
	for _, person := range people {
		opened[person] = true
	}
	return opened, nil
}

// Opened records whose direct messages a channel has, once the channel has a watermark.
func (b *Inbox) Opened(ctx context.Context, person chat.UserID, ch chat.ChannelID) error {
	if err := b.Save(ctx); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, "INSERT INTO directs (person, channel) VALUES (?, ?) ON CONFLICT (person) DO UPDATE SET channel = excluded.channel",
		string(person), string(ch))
	return store.Wrap(err, "write down whose direct messages are open")
}
