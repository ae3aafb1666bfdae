package inbox

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"discoclaw/internal/chat"
)

// A Gap is what was said in a channel while nobody listened.
type Gap struct {
	Place  chat.Place     // the channel
	After  chat.MessageID // the last message before it
	Latest chat.MessageID // the last in it; empty if nobody can tell without asking

	number int // tells it from others of its channel
}

// Behind compares the marks with the latest message of each channel, which is the Message
// of its place, and returns the gaps, by channel. Each stays open until CaughtUp. A channel
// that is met for the first time has none, and is read from here on, unless it was made
// while nobody listened. Then the gap is all that was said there. Nothing is in a gap that was
// said before the bot came to the server.
func (b *Inbox) Behind(latest []chat.Past) []Gap {
	m := b.marks
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
			m.riseLazily(upTo(at.Place, after))
		}
		// Who is invited again is not to know what was said meanwhile.
		after = max(after, number(chat.FirstAt(at.Joined)))
		switch {
		case !known:
			m.riseLazily(at.Place)
		case number(at.Message) > after:
			gaps = append(gaps, gap(at.Place, after))
		}
	}
	for _, at := range latest { // when all of them are known
		m.hear(at.Guild, max(number(at.Channel), number(at.Message)))
	}
	return m.opened(gaps)
}

// BehindInPrivate is Behind for direct messages. Whether there is a gap can only be found
// out by asking, so each is one.
func (b *Inbox) BehindInPrivate() []Gap {
	var gaps []Gap
	for ch, after := range b.marks.direct() {
		gaps = append(gaps, gap(chat.Place{Channel: ch}, after))
	}
	return b.marks.opened(gaps)
}

// opened notes gaps, and puts them in their order.
func (m *marks) opened(gaps []Gap) []Gap {
	slices.SortFunc(gaps, func(a, b Gap) int { return cmp.Compare(a.Place.Channel, b.Place.Channel) })
	for i := range gaps {
		gaps[i].number = m.open(gaps[i].Place.Channel)
	}
	return gaps
}

// isMadeAfter says whether a channel was made after a message was written. A thread on a
// message has that message's ID, so its ID alone does not tell. What was made in the same
// millisecond counts: to read too much does no harm, since what is known is not done again.
func isMadeAfter(at chat.Past, message int64) bool {
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

// Met notes that a channel is there, of which nobody knew: it is read from here on. What is
// known of a channel stays as it is.
func (b *Inbox) Met(at chat.Place) {
	if !b.marks.known(at.Channel) {
		b.marks.riseLazily(at)
	}
}

// CaughtUp closes a gap: everything up to a message has been dealt with. If there is a later
// gap in the channel, because nobody listened once more meanwhile, that one is still open,
// and the mark stays before both.
func (b *Inbox) CaughtUp(g Gap, latest chat.MessageID) {
	seen, closed := b.marks.close(g)
	if !closed {
		return
	}
	b.marks.riseLazily(upTo(g.Place, max(seen, number(latest))))
}

// IsOpen says whether a gap is still open, and there is no later one in its channel.
func (b *Inbox) IsOpen(g Gap) bool {
	b.marks.mu.Lock()
	defer b.marks.mu.Unlock()
	open, found := b.marks.behind[g.Place.Channel]
	return found && open.gap == g.number
}

// heardSoFar is how far each server has been heard, and the furthest of all. One server
// may be out of order while others are heard.
func (m *marks) heardSoFar() (heard map[chat.GuildID]int64, everywhere int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	heard = maps.Clone(m.heard)
	return heard, slices.Max(append(slices.Collect(maps.Values(heard)), 0))
}

// hear notes that a server has been heard up to a message.
func (m *marks) hear(g chat.GuildID, message int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard[g] = max(m.heard[g], message)
}

func (m *marks) get(ch chat.ChannelID) (int64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.at[ch]
	return found.message, ok
}

// direct are the marks of direct messages.
func (m *marks) direct() map[chat.ChannelID]int64 {
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

// open notes a gap in a channel, and returns its number.
func (m *marks) open(ch chat.ChannelID) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gaps++
	m.behind[ch] = opening{seen: m.behind[ch].seen, gap: m.gaps}
	return m.gaps
}

// close returns the latest message that was seen while a gap was open, unless there is a
// later one in its channel.
func (m *marks) close(g Gap) (seen int64, closed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	open := m.behind[g.Place.Channel]
	if open.gap != g.number {
		return 0, false
	}
	delete(m.behind, g.Place.Channel)
	return open.seen, true
}
