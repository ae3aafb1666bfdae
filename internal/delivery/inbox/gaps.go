package inbox

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"discoclaw/internal/chat"
)

// A Gap is a part of a channel that has not been read: it was said while the bot was away, or
// could not be accepted.
type Gap struct {
	Place   chat.Place     // the channel
	After   chat.MessageID // the last message before it
	Latest  chat.MessageID // the last in it; empty if nobody can tell without asking
	Refused bool           // it could not be accepted, so all of it is owed an answer

	number int // tells it from others of its channel
}

// Gaps compares the watermarks with the latest message of each channel, which is the Message
// of its place, and returns the gaps, by channel. Each stays open until CloseGap. A channel
// that is met for the first time has none, and is read from here on, unless it was made
// while the bot was away. Then the gap is all that was said there. Nothing is in a gap that was
// said before the bot came to the server.
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
			// From here on it is known, or what is said elsewhere would make it one that was
			// there before.
			m.advanceLazily(upTo(at.Place, after))
		}
		// Who is invited again is not to know what was said meanwhile.
		after = max(after, number(chat.FirstAt(at.Joined)))
		switch {
		case !known:
			m.advanceLazily(at.Place)
		case number(at.Message) > after:
			gaps = append(gaps, gap(at.Place, after))
		}
	}
	for _, at := range latest { // when all of them are known
		m.hear(at.Guild, max(number(at.Channel), number(at.Message)))
	}
	return m.opened(gaps)
}

// DirectMessageGaps is Gaps for direct messages. Whether there is a gap can only be found
// out by asking, so each is one.
func (b *Inbox) DirectMessageGaps() []Gap {
	var gaps []Gap
	for ch, after := range b.watermarks.direct() {
		gaps = append(gaps, gap(chat.Place{Channel: ch}, after))
	}
	return b.watermarks.opened(gaps)
}

// opened notes gaps, and puts them in their order.
func (m *watermarks) opened(gaps []Gap) []Gap {
	slices.SortFunc(gaps, func(a, b Gap) int { return cmp.Compare(a.Place.Channel, b.Place.Channel) })
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range gaps {
		gaps[i].number = m.openGap(gaps[i].Place.Channel)
	}
	return gaps
}

// isMadeAfter says whether a channel was made after a message was written. A thread on a
// message has that message's ID, so its ID alone does not tell. What was made in the same
// millisecond counts: to read too much does no harm, since duplicates are not new.
func isMadeAfter(at chat.LastMessage, message int64) bool {
	return number(at.Channel) > message || number(chat.FirstAt(at.Made.Add(time.Millisecond))) > message
}

func gap(at chat.Place, after int64) Gap {
	g := Gap{Place: at, After: upTo(at, after).Message, Latest: at.Message}
	g.Place.Message = ""
	return g
}

// upTo is a place in which everything up to a message is known.
func upTo(at chat.Place, message int64) chat.Place {
	at.Message = chat.MessageID(strconv.FormatInt(message, 10))
	return at
}

// Refuse opens a gap before a message that could not be accepted. It has everything from the
// channel's watermark on, and waits for TakeRefused.
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
			m.leave(upTo(at, before.message))
		}
		g = gap(at, before.message)
		g.Latest, g.Refused = "", true
	}
	// Whatever gap of the channel is being read at present must not be closed.
	g.number = m.openGap(at.Channel)
	m.refused[at.Channel] = g
}

// TakeRefused returns the gaps with what could not be accepted, to be read now that something
// can be. They stay open until CloseGap.
func (b *Inbox) TakeRefused() []Gap {
	m := b.watermarks
	m.mu.Lock()
	defer m.mu.Unlock()
	gaps := slices.SortedFunc(maps.Values(m.refused), func(a, b Gap) int { return cmp.Compare(a.Place.Channel, b.Place.Channel) })
	clear(m.refused)
	return gaps
}

// Track notes that a channel is there, of which nobody knew: it is read from here on. What is
// known of a channel stays as it is.
func (b *Inbox) Track(at chat.Place) {
	if !b.watermarks.known(at.Channel) {
		b.watermarks.advanceLazily(at)
	}
}

// CloseGap closes a gap: everything up to a message has been dealt with. If there is a later
// gap in the channel, that one is still open, and the watermark stays before both.
func (b *Inbox) CloseGap(g Gap, latest chat.MessageID) {
	seen, closed := b.watermarks.close(g)
	if !closed {
		return
	}
	b.watermarks.advanceLazily(upTo(g.Place, max(seen, number(latest))))
}

// IsOpen says whether a gap is still open, and there is no later one in its channel.
func (b *Inbox) IsOpen(g Gap) bool {
	b.watermarks.mu.Lock()
	defer b.watermarks.mu.Unlock()
	open, found := b.watermarks.open[g.Place.Channel]
	return found && open.gap == g.number
}

// heardSoFar is how far each server has been heard, and the furthest of all. One server
// may be out of order while others are heard.
func (m *watermarks) heardSoFar() (heard map[chat.GuildID]int64, everywhere int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	heard = maps.Clone(m.heard)
	return heard, slices.Max(append(slices.Collect(maps.Values(heard)), 0))
}

// hear notes that a server has been heard up to a message.
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

// direct are the watermarks of direct messages.
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

// openGap notes a gap in a channel, and returns its number. The caller holds the lock.
func (m *watermarks) openGap(ch chat.ChannelID) int {
	m.gaps++
	m.open[ch] = opening{seen: m.open[ch].seen, gap: m.gaps}
	return m.gaps
}

// close returns the latest message that was seen while a gap was open, unless there is a
// later one in its channel.
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
