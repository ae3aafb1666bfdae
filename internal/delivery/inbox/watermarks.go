package inbox

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/sleep"
	"discoclaw/internal/store"
)

const (
	saveDelay  = time.Second // how long an unsaved watermark waits for others, or for an event to be written with
	retryDelay = time.Minute // after a write that failed
)

// watermarks hold how far each channel has been read.
type watermarks struct {
	changed chan struct{} // has an element when there are unsaved watermarks

	mu      sync.Mutex
	at      map[chat.ChannelID]watermark
	unsaved map[chat.ChannelID]watermark
	// heard is the latest live message of each server: all channels older than that are known.
	// Fetched messages do not move it, since during an outage of a server they can be fetched
	// while the events for new channels do not arrive.
	heard map[chat.GuildID]int64
	// open are the channels with a gap. Their watermarks do not move, and the latest message
	// that was seen is kept here, so that a process that ends now leaves the gap for the
	// next one.
	open    map[chat.ChannelID]opening
	gaps    int // opened so far
	refused map[chat.ChannelID]Gap
}

// An opening is the latest gap of a channel.
type opening struct {
	seen int64 // the latest message since the channel's first open gap
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

// number returns an ID as a number; 0 for none.
func number[ID ~string](id ID) int64 {
	n, _ := strconv.ParseInt(string(id), 10, 64) // every ID is a number
	return n
}

// isAhead reports whether a message would advance its channel's watermark.
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

// advance moves a channel's watermark up to a message, unless the channel has a gap. It reports
// whether it moved.
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

// advanceLazily is advance for a watermark that can be written later. Until then, nothing may be
// written that relies on it.
func (m *watermarks) advanceLazily(to chat.Place) (moved bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if moved = m.raise(to); moved {
		m.saveSoon(to)
	}
	return moved
}

// saveSoon has Run write a watermark. The caller holds the lock.
func (m *watermarks) saveSoon(to chat.Place) {
	m.unsaved[to.Channel] = watermark{to.Guild, number(to.Message)}
	m.nudge()
}

// hearLazily is advanceLazily for a live message.
func (m *watermarks) hearLazily(at chat.Place) {
	if m.advanceLazily(at) {
		m.hear(at.Guild, number(at.Message))
	}
}

// nudge wakes Run.
func (m *watermarks) nudge() {
	sleep.Wake(m.changed)
}

func (m *watermarks) known(ch chat.ChannelID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.at[ch]
	return ok
}

// Skip advances the watermark past a message that the bot ignores.
func (b *Inbox) Skip(at chat.Place) { b.watermarks.hearLazily(at) }

// OwnMessage advances the watermark past a message of the bot's own, in a channel that has one.
func (b *Inbox) OwnMessage(at chat.Place) {
	if b.watermarks.known(at.Channel) {
		b.watermarks.hearLazily(at)
	}
}

// Recall loads the watermarks, and the number of the last event of an earlier process. It is
// called once, before anything is accepted.
func (b *Inbox) Recall(ctx context.Context) error {
	var err error
	if b.before, err = store.Value[int64](ctx, b.db, "SELECT COALESCE(MAX(number), 0) FROM inbox"); err != nil {
		return fmt.Errorf("look what was accepted before: %w", err)
	}
	return store.Wrap(b.recallWatermarks(ctx), "read the watermarks")
}

// recallWatermarks loads both tables. Rows of heard have no channel.
func (b *Inbox) recallWatermarks(ctx context.Context) error {
	b.watermarks.mu.Lock()
	defer b.watermarks.mu.Unlock()
	_, err := store.All(ctx, b.db, func(row store.Row) (ch chat.ChannelID, err error) {
		var m watermark
		if err = row.Scan(&ch, &m.guild, &m.message); ch == "" {
			b.watermarks.heard[m.guild] = m.message
		} else {
			b.watermarks.at[ch] = m
		}
		return ch, err
	}, "SELECT channel, guild, message FROM watermarks UNION ALL SELECT '', guild, message FROM heard")
	return err
}

// Run writes watermarks that no transaction has written along, until ctx ends.
func (b *Inbox) Run(ctx context.Context, failed func(error)) {
	pause := saveDelay
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.watermarks.changed:
		}
		if !sleep.For(ctx, pause) {
			return
		}
		pause = saveDelay
		if err := b.Save(ctx); err != nil && ctx.Err() == nil {
			failed(err)
			pause = retryDelay
			b.watermarks.nudge()
		}
	}
}

// Save writes the unsaved watermarks.
func (b *Inbox) Save(ctx context.Context) error {
	if !b.watermarks.isUnsaved() {
		return nil
	}
	return store.Wrap(b.Tx(ctx, func(*store.Tx) error { return nil }), "write the watermarks")
}

func (m *watermarks) isUnsaved() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.unsaved) > 0
}

// takeUnsaved returns the unsaved watermarks with heard of their servers, in one snapshot, so that heard
// is not ahead of them.
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

// putBack restores watermarks that could not be written.
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

// writeMark writes a watermark, which never moves back.
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
