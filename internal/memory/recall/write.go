package recall

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/memory/words"
	"discoclaw/internal/sleep"
	"discoclaw/internal/store"
)

const (
	gather     = time.Second // how long changes are gathered before they are written: each write waits for the disk
	batch      = 100         // changes in a transaction, which all other writers wait for
	retryAfter = time.Minute // pause after a write that failed
	lookupTime = 5 * time.Second
)

// enqueue lets a change wait for Run. If too many messages wait, the oldest is dropped, but never a deletion.
func (e *Engine) enqueue(c *change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	c.number, c.stretch = e.last, e.stretch
	e.queue = append(e.queue, c)
	if c.kept != nil || c.seen {
		e.puts++
	}
	if e.puts > maxQueue {
		e.dropOldest()
	}
	sleep.Wake(e.wake)
}

func (e *Engine) dropOldest() {
	i := slices.IndexFunc(e.queue, func(c *change) bool { return c.kept != nil || c.seen })
	e.puts--
	e.dropped++
	if old := e.queue[i]; old.edit {
		e.queue[i] = &change{number: old.number, at: old.at} // the text before the edit must not stay
		return
	}
	e.queue = slices.Delete(e.queue, i, i+1)
}

// isGone reports whether a deletion of a message waits to be written.
func (e *Engine) isGone(at chat.Place) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.queue, func(c *change) bool {
		return c.kept == nil && !c.seen && (c.at.Message == at.Message || c.channel && c.at.Channel == at.Channel)
	})
}

// Run writes changes, and embeds what was written, until ctx ends. What waits then is up to Flush.
func (e *Engine) Run(ctx context.Context) {
	if e == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.embedAll(ctx)
	}()
	defer func() { <-done }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		}
		if !sleep.For(ctx, gather) {
			return
		}
		for err := e.Flush(ctx); err != nil; err = e.Flush(ctx) {
			if ctx.Err() != nil {
				return
			}
			e.Log.WarnContext(ctx, "old talk not written; trying again", "err", err)
			if !sleep.For(ctx, retryAfter) {
				return
			}
		}
	}
}

// Flush writes all changes that wait.
func (e *Engine) Flush(ctx context.Context) error {
	if e == nil {
		return nil
	}
	for e.prepare(ctx) {
		if err := e.write(ctx); err != nil {
			return err
		}
		sleep.Wake(e.more)
	}
	return nil
}

// prepare looks up the rooms of the next changes, since a transaction must not wait for Discord. It reports whether
// there are any.
func (e *Engine) prepare(ctx context.Context) bool {
	e.mu.Lock()
	next := slices.Clone(e.queue[:min(len(e.queue), batch)])
	dropped := e.dropped
	e.dropped = 0
	e.mu.Unlock()
	if dropped > 0 {
		e.Log.WarnContext(ctx, "too much is said at once; messages are not kept for recall", "dropped", dropped)
	}
	rooms := map[chat.ChannelID]chat.ChannelID{}
	for _, c := range next {
		if _, known := rooms[c.at.Channel]; !known {
			rooms[c.at.Channel] = e.room(ctx, c.at)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range next {
		c.room = rooms[c.at.Channel]
	}
	return len(next) > 0
}

// room returns the channel whose permissions decide who may read a place. If it cannot be looked up, it is the
// place itself: of a thread, nobody is found to have permissions then.
func (e *Engine) room(ctx context.Context, at chat.Place) chat.ChannelID {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	if ch, err := e.Server.ChannelByID(ctx, at.Channel); err == nil && ch.Kind == chat.Thread && !ch.Private {
		return ch.Parent
	}
	return at.Channel
}

// write writes the changes that prepare has prepared. They leave the queue when that is committed, so that an
// erasure in between finds them either there or in the database.
func (e *Engine) write(ctx context.Context) error {
	var written int64
	err := e.DB.Tx(ctx, func(tx *store.Tx) error {
		stretch, err := e.current(ctx, tx)
		if err != nil {
			return err
		}
		for _, c := range e.prepared() {
			if err := c.apply(ctx, tx); err != nil {
				return err
			}
			written = c.number
		}
		return setMeta(ctx, tx, "stretch", strconv.FormatInt(stretch, 10))
	})
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue = slices.DeleteFunc(e.queue, func(c *change) bool {
		if c.number > written {
			return false
		}
		if c.kept != nil || c.seen {
			e.puts--
		}
		return true
	})
	return nil
}

// prepared returns the changes at the head of the queue whose rooms are known.
func (e *Engine) prepared() []*change {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := slices.IndexFunc(e.queue, func(c *change) bool { return c.room == "" })
	if n < 0 {
		n = len(e.queue)
	}
	return slices.Clone(e.queue[:min(n, batch)])
}

// current returns the number of the current stretch. It goes on from the one that an earlier process has written, so
// that whatever is stored already counts as not seen since.
func (e *Engine) current(ctx context.Context, in store.Reader) (int64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loaded {
		return e.stretch, nil
	}
	text, err := meta(ctx, in, "stretch")
	if err != nil {
		return 0, err
	}
	before, _ := strconv.ParseInt(text, 10, 64) // 0 in an empty database
	before++
	e.stretch += before
	e.whole += before
	for g := range e.wholeIn {
		e.wholeIn[g] += before
	}
	for _, c := range e.queue {
		c.stretch += before
	}
	e.loaded = true
	return e.stretch, nil
}

// since returns the stretch from which on messages of a server have been seen without a gap.
func (e *Engine) since(ctx context.Context, g chat.GuildID) (int64, error) {
	if _, err := e.current(ctx, e.DB); err != nil {
		return 0, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return max(e.whole, e.wholeIn[g]), nil
}

func (c *change) apply(ctx context.Context, tx *store.Tx) error {
	if c.seen {
		_, err := tx.ExecContext(ctx, "UPDATE recall SET seen = ? WHERE message = ?", c.stretch, c.at.Message)
		return err
	}
	if err := c.remove(ctx, tx); err != nil || c.kept == nil {
		return err
	}
	k := c.kept
	for _, text := range chunks(k.text) {
		_, err := tx.ExecContext(ctx, "INSERT INTO recall (guild, room, channel, message, author, asker, name, created, seen, outside, text, grams) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			c.at.Guild, c.room, c.at.Channel, c.at.Message, k.author, k.asker, k.name, k.sent.UnixMicro(), c.stretch, string(
				k.outside), text, strings.Join(words.Pairs(text), " "))
		if err != nil {
			return err
		}
	}
	for _, m := range k.parts {
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO recall_parts (message, answer) VALUES (?, ?)", m, c.at.Message); err != nil {
			return err
		}
	}
	return nil
}

// remove removes what is stored of a message or a channel.
func (c *change) remove(ctx context.Context, tx *store.Tx) (err error) {
	switch {
	case !c.channel:
		_, err = tx.ExecContext(ctx, "DELETE FROM recall WHERE message IN (SELECT ? UNION ALL SELECT answer FROM recall_parts WHERE message = ?)", c.at.Message, c.at.Message)
	case c.at.Parent != "":
		_, err = tx.ExecContext(ctx, "DELETE FROM recall WHERE room IN (?, ?) AND channel = ?", c.at.Parent, c.at.Channel, c.at.Channel)
	default:
		_, err = tx.ExecContext(ctx, "DELETE FROM recall WHERE room = ?", c.at.Channel)
	}
	return err
}

// meta returns a single value; empty if it was not set.
func meta(ctx context.Context, in store.Reader, name string) (string, error) {
	return store.Value[string](ctx, in, "SELECT value FROM recall_meta WHERE name = ?", name)
}

func setMeta(ctx context.Context, tx *store.Tx, name, value string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO recall_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value", name, value)
	return err
}

// Forget drops what waits to be written of a person: their messages, and the bot's answers to them. It is called before
// their rows are erased, see [store.DB.Erase].
func (e *Engine) Forget(who chat.UserID) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue = slices.DeleteFunc(e.queue, func(c *change) bool {
		theirs := c.kept != nil && (c.kept.author == who || c.kept.asker == who)
		if theirs {
			e.puts--
		}
		return theirs
	})
}
