package inbox

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

const (
	saveDelay  = time.Second // how long a watermark waits to be written, with others or along with an event
	retryDelay = time.Minute // when to try once more what could not be written
)

// watermarks say how far each channel has been read.
type watermarks struct {
	changed chan struct{} // has an element when something waits to be written

	mu      sync.Mutex
	at      map[chat.ChannelID]watermark
	unsaved map[chat.ChannelID]watermark
	// heard is how far each server has been heard: which of its channels were made before
	// that is known. What is fetched does not move it, since while a server is out of order,
	// nobody hears of new channels there.
	heard map[chat.GuildID]int64
	// open are the channels with a gap. Their watermarks stay where they are, and the latest
	// message that was seen waits here, so that a process that ends now leaves the gap for the
	// next one.
	open    map[chat.ChannelID]opening
	gaps    int // that were found so far
	refused map[chat.ChannelID]Gap
}

// An opening is the latest gap of a channel.
type opening struct {
	seen int64 // the latest message that was seen since the first of them
	gap  int   // its number
}

type watermark struct {
	guild   chat.GuildID
	message int64
}

func newWatermarks() *watermarks {
	return &watermarks{
		changed: make(chan struct{}, 1),
		at:      map[chat.ChannelID]watermark{},
		unsaved: map[chat.ChannelID]watermark{},
		heard:   map[chat.GuildID]int64{},
		open:    map[chat.ChannelID]opening{},
		refused: map[chat.ChannelID]Gap{},
	}
}

// number is an ID as a number; 0 for none.
func number[ID ~string](id ID) int64 {
	n, _ := strconv.ParseInt(string(id), 10, 64) // what is no number is no ID
	return n
}

// isAhead says whether a message would advance its channel's watermark.
func (m *watermarks) isAhead(at chat.Place) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ahead(at)
}

// ahead is isAhead for a caller that holds the lock.
func (m *watermarks) ahead(at chat.Place) bool {
	_, open := m.open[at.Channel]
	old, known := m.at[at.Channel]
	return !open && (!known || number(at.Message) > old.message)
}

// advance moves a channel's watermark up to a message, and says whether it moved. While the
// channel has a gap it does not.
func (m *watermarks) advance(to chat.Place) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.raise(to)
}

// raise is advance for a caller that holds the lock.
func (m *watermarks) raise(to chat.Place) bool {
	n := number(to.Message)
	if gap, ok := m.open[to.Channel]; ok {
		gap.seen = max(gap.seen, n)
		m.open[to.Channel] = gap
		return false
	}
	if !m.ahead(to) {
		return false
	}
	m.at[to.Channel] = watermark{to.Guild, n}
	return true
}

// advanceLazily is advance for what can be written later. In between, nothing is written that
// relies on it.
func (m *watermarks) advanceLazily(to chat.Place) (moved bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if moved = m.raise(to); moved {
		m.leave(to)
	}
	return moved
}

// leave has a watermark written soon. The caller holds the lock.
func (m *watermarks) leave(to chat.Place) {
	m.unsaved[to.Channel] = watermark{to.Guild, number(to.Message)}
	m.nudge()
}

// hearLazily is advanceLazily for a message that was heard as it was written.
func (m *watermarks) hearLazily(at chat.Place) {
	if m.advanceLazily(at) {
		m.hear(at.Guild, number(at.Message))
	}
}

// nudge says that something waits to be written.
func (m *watermarks) nudge() {
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

func (m *watermarks) known(ch chat.ChannelID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.at[ch]
	return ok
}

// Skip advances the watermark past a message that the bot leaves alone.
func (b *Inbox) Skip(at chat.Place) { b.watermarks.hearLazily(at) }

// OwnMessage advances the watermark past a message of the bot's own, where others are
// listened to.
func (b *Inbox) OwnMessage(at chat.Place) {
	if b.watermarks.known(at.Channel) {
		b.watermarks.hearLazily(at)
	}
}

// Recall reads what an earlier process left: its watermarks, and what it accepted last. It is
// called once, before anything is accepted.
func (b *Inbox) Recall(ctx context.Context) error {
	if err := b.db.QueryRowContext(ctx, "SELECT COALESCE(MAX(number), 0) FROM inbox").Scan(&b.before); err != nil {
		return fmt.Errorf("look what was accepted before: %w", err)
	}
	if err := b.recallWatermarks(ctx); err != nil {
		return fmt.Errorf("read the watermarks: %w", err)
	}
	return nil
}

// recallWatermarks reads the watermarks, and how far servers were heard, which have no channel here.
func (b *Inbox) recallWatermarks(ctx context.Context) error {
	rows, err := b.db.QueryContext(ctx, "SELECT channel, guild, message FROM watermarks UNION ALL SELECT '', guild, message FROM heard")
	if err != nil {
		return err
	}
	defer rows.Close()
	b.watermarks.mu.Lock()
	defer b.watermarks.mu.Unlock()
	for rows.Next() {
		var ch chat.ChannelID
		var m watermark
		if err := rows.Scan(&ch, &m.guild, &m.message); err != nil {
			return err
		}
		if ch == "" {
			b.watermarks.heard[m.guild] = m.message
		} else {
			b.watermarks.at[ch] = m
		}
	}
	return rows.Err()
}

// Run writes watermarks that nothing else took along, until ctx ends.
func (b *Inbox) Run(ctx context.Context, failed func(error)) {
	pause := saveDelay
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.watermarks.changed:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = saveDelay
		if err := b.Save(ctx); err != nil && ctx.Err() == nil {
			failed(err)
			pause = retryDelay
			b.watermarks.nudge()
		}
	}
}

// Save writes the watermarks that wait.
func (b *Inbox) Save(ctx context.Context) error {
	if !b.watermarks.isUnsaved() {
		return nil
	}
	if err := b.Tx(ctx, func(*store.Tx) error { return nil }); err != nil {
		return fmt.Errorf("write the watermarks: %w", err)
	}
	return nil
}

func (m *watermarks) isUnsaved() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.unsaved) > 0
}

// takeUnsaved returns the watermarks that wait, and how far their servers have been heard: no
// further than is true with these watermarks.
func (m *watermarks) takeUnsaved() (unsaved map[chat.ChannelID]watermark, heard map[chat.GuildID]int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.unsaved) == 0 {
		return nil, nil
	}
	unsaved, m.unsaved = m.unsaved, map[chat.ChannelID]watermark{}
	heard = map[chat.GuildID]int64{}
	for _, mark := range unsaved {
		if to, ok := m.heard[mark.guild]; ok {
			heard[mark.guild] = to
		}
	}
	return unsaved, heard
}

// putBack is for watermarks that could not be written.
func (m *watermarks) putBack(unsaved map[chat.ChannelID]watermark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ch, old := range unsaved {
		if newer, ok := m.unsaved[ch]; !ok || newer.message < old.message {
			m.unsaved[ch] = old
		}
		m.nudge()
	}
}

func writeMarks(ctx context.Context, tx *store.Tx, marks map[chat.ChannelID]watermark, heard map[chat.GuildID]int64) error {
	for ch, m := range marks {
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
}

// writeMark writes a watermark, which never goes back.
func writeMark(ctx context.Context, tx *store.Tx, ch chat.ChannelID, g chat.GuildID, to int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO watermarks (channel, guild, message) VALUES (?, ?, ?)
		ON CONFLICT (channel) DO UPDATE SET message = MAX(message, excluded.message)`, string(ch), string(g), to)
	return err
}

func writeHeard(ctx context.Context, tx *store.Tx, g chat.GuildID, to int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO heard (guild, message) VALUES (?, ?)
		ON CONFLICT (guild) DO UPDATE SET message = MAX(message, excluded.message)`, string(g), to)
	return err
}
