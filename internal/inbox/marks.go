package inbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

const (
	// lazily is how often marks are written that nothing depends on but some reading.
	lazily = time.Second
	// again is when to try once more what could not be written.
	again = time.Minute
)

// marks say how far each channel has been read.
type marks struct {
	changed chan struct{} // has an element when something waits to be written

	mu      sync.Mutex
	at      map[chat.ChannelID]mark
	unsaved map[chat.ChannelID]mark
	// heard is how far each server has been heard: which of its channels were made before
	// that is known. What is fetched does not move it, since while a server is out of order,
	// nobody hears of new channels there.
	heard map[chat.GuildID]int64
	// behind are the channels with a gap that is being read. Their marks stay where they
	// are, and the latest that was seen waits here, so that a process that ends now leaves
	// the gap for the next.
	behind map[chat.ChannelID]opening
	gaps   int // that were found so far
	// held are messages that could not be written down, by their events. On the disk, the
	// mark of a channel stays before them.
	held map[string]chat.Place
}

// An opening is the latest gap of a channel.
type opening struct {
	seen int64 // the latest message that was seen since the first of them
	gap  int   // its number
}

type mark struct {
	guild   chat.GuildID
	message int64
}

func newMarks() *marks {
	return &marks{
		changed: make(chan struct{}, 1),
		at:      map[chat.ChannelID]mark{},
		unsaved: map[chat.ChannelID]mark{},
		heard:   map[chat.GuildID]int64{},
		behind:  map[chat.ChannelID]opening{},
		held:    map[string]chat.Place{},
	}
}

// number is an ID as a number; 0 for none.
func number[ID ~string](id ID) int64 {
	n, _ := strconv.ParseInt(string(id), 10, 64) // what is no number is no ID
	return n
}

// rise moves a channel's mark up to a message, and says whether that should be written.
func (m *marks) rise(to chat.Place) (int64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.raise(to)
}

// raise is rise for who holds the lock.
func (m *marks) raise(to chat.Place) (int64, bool) {
	n := number(to.Message)
	if open, ok := m.behind[to.Channel]; ok {
		open.seen = max(open.seen, n)
		m.behind[to.Channel] = open
		return n, false
	}
	if old, known := m.at[to.Channel]; known && n <= old.message {
		return n, false
	}
	m.at[to.Channel] = mark{to.Guild, n}
	return n, true
}

// riseLazily is rise for what can be written later. In between, nothing is written that
// relies on it.
func (m *marks) riseLazily(to chat.Place) (risen bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, risen = m.raise(to); risen {
		m.leave(to)
	}
	return risen
}

// leave has a mark written soon. It is for who holds the lock.
func (m *marks) leave(to chat.Place) {
	m.unsaved[to.Channel] = mark{to.Guild, number(to.Message)}
	m.nudge()
}

// hold keeps the mark of a channel before a message. A new channel gets one at once, or what
// is heard elsewhere would make it a channel that was there before.
func (m *marks) hold(event string, at chat.Place, isNew bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[event] = at
	if isNew {
		m.leave(at)
	}
}

// release lets marks pass the messages of some events.
func (m *marks) release(events ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, event := range events {
		at, found := m.held[event]
		delete(m.held, event)
		if mark, known := m.at[at.Channel]; found && known {
			m.leave(upTo(chat.Place{Guild: mark.guild, Channel: at.Channel}, mark.message))
		}
	}
}

// capped is how far the mark of a channel may go on the disk.
func (m *marks) capped(ch chat.ChannelID, to int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cap(ch, to)
}

// cap is capped for who holds the lock.
func (m *marks) cap(ch chat.ChannelID, to int64) int64 {
	for _, at := range m.held {
		if at.Channel == ch {
			to = min(to, number(at.Message)-1)
		}
	}
	return to
}

// heardLazily is riseLazily for a message that was heard as it was written.
func (m *marks) heardLazily(at chat.Place) {
	if m.riseLazily(at) {
		m.hear(at.Guild, number(at.Message))
	}
}

// nudge says that something waits to be written.
func (m *marks) nudge() {
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

func (m *marks) known(ch chat.ChannelID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.at[ch]
	return ok
}

// Passed notes a message that the bot leaves alone.
func (b *Inbox) Passed(at chat.Place) { b.marks.heardLazily(at) }

// Wrote notes a message of the bot's own. It matters only where others are listened to.
func (b *Inbox) Wrote(at chat.Place) {
	if b.marks.known(at.Channel) {
		b.marks.heardLazily(at)
	}
}

// Recall finds out what an earlier process left: how far it read, and what it accepted
// last. It is called once, before anything is accepted.
func (b *Inbox) Recall(ctx context.Context) error {
	if err := b.db.QueryRowContext(ctx, "SELECT COALESCE(MAX(number), 0) FROM inbox").Scan(&b.before); err != nil {
		return fmt.Errorf("look what was accepted before: %w", err)
	}
	if err := b.recallMarks(ctx); err != nil {
		return fmt.Errorf("look how far channels were read: %w", err)
	}
	return nil
}

// recallMarks reads the marks, and how far servers were heard, which have no channel here.
func (b *Inbox) recallMarks(ctx context.Context) error {
	rows, err := b.db.QueryContext(ctx, "SELECT channel, guild, message FROM marks UNION ALL SELECT '', guild, message FROM heard")
	if err != nil {
		return err
	}
	defer rows.Close()
	b.marks.mu.Lock()
	defer b.marks.mu.Unlock()
	for rows.Next() {
		var ch chat.ChannelID
		var m mark
		if err := rows.Scan(&ch, &m.guild, &m.message); err != nil {
			return err
		}
		if ch == "" {
			b.marks.heard[m.guild] = m.message
		} else {
			b.marks.at[ch] = m
		}
	}
	return rows.Err()
}

// Run writes marks, not more often than needed, until ctx ends.
func (b *Inbox) Run(ctx context.Context, failed func(error)) {
	pause := lazily
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.marks.changed:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = lazily
		if err := b.Save(ctx); err != nil && ctx.Err() == nil {
			failed(err)
			pause = again
			b.marks.nudge()
		}
	}
}

// Save writes what waits to be written: marks, and what could not be written before.
func (b *Inbox) Save(ctx context.Context) error {
	return errors.Join(b.saveUnwritten(ctx), b.settleOwed(ctx), b.saveMarks(ctx))
}

func (b *Inbox) saveMarks(ctx context.Context) error {
	unsaved, heard := b.marks.takeUnsaved()
	if len(unsaved) == 0 {
		return nil
	}
	err := b.db.Tx(ctx, func(tx *store.Tx) error {
		for ch, m := range unsaved {
			if err := writeMark(ctx, tx, ch, m.guild, m.message); err != nil {
				return err
			}
		}
		for g, to := range heard {
			if err := writeHeard(ctx, tx, g, to); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.marks.putBack(unsaved)
		return fmt.Errorf("write down how far channels were read: %w", err)
	}
	return nil
}

// takeUnsaved returns the marks that wait, and how far their servers have been heard: no
// further than is true with these marks.
func (m *marks) takeUnsaved() (unsaved map[chat.ChannelID]mark, heard map[chat.GuildID]int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	unsaved, m.unsaved = m.unsaved, map[chat.ChannelID]mark{}
	heard = map[chat.GuildID]int64{}
	for ch, mark := range unsaved {
		mark.message = m.cap(ch, mark.message)
		unsaved[ch] = mark
		if to, ok := m.heard[mark.guild]; ok {
			heard[mark.guild] = to
		}
	}
	return unsaved, heard
}

// putBack is for marks that could not be written.
func (m *marks) putBack(unsaved map[chat.ChannelID]mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ch, old := range unsaved {
		if newer, ok := m.unsaved[ch]; !ok || newer.message < old.message {
			m.unsaved[ch] = old
		}
	}
}

// writeMark writes a mark, which never goes back.
func writeMark(ctx context.Context, tx *store.Tx, ch chat.ChannelID, g chat.GuildID, to int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO marks (channel, guild, message) VALUES (?, ?, ?)
		ON CONFLICT (channel) DO UPDATE SET message = MAX(message, excluded.message)`, string(ch), string(g), to)
	return err
}

func writeHeard(ctx context.Context, tx *store.Tx, g chat.GuildID, to int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO heard (guild, message) VALUES (?, ?)
		ON CONFLICT (guild) DO UPDATE SET message = MAX(message, excluded.message)`, string(g), to)
	return err
}
