package outbox

import (
	"context"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A row is a row of the table posts.
type row struct {
	key
	channel      chat.ChannelID
	message      chat.MessageID // empty if unknown
	text         string         // of the last attempt; empty once it is not needed any more
	inFlight     bool           // it is a placeholder that may not have become an answer yet
	began, tried time.Time
}

// write writes the row of a message that is about to be sent. It returns false if there is one
// already.
func (p *Posts) write(ctx context.Context, r row) (fresh bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	now := p.outbox.server.Now().UnixMicro()
	err = p.outbox.db.Tx(ctx, func(tx *store.Tx) error {
		if p.begin != nil {
			if err := p.begin(ctx, tx); err != nil {
				return err
			}
		}
		n, err := store.Changed(tx.ExecContext(ctx, "INSERT INTO posts (turn, part, channel, text, inflight, began, tried) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			r.turn, r.part, string(r.channel), r.text, r.inFlight, now, now))
		fresh = n == 1
		if err == nil && r.inFlight {
			_, err = tx.ExecContext(ctx, "UPDATE posts SET inflight = 0 WHERE turn = ? AND part <> ? AND inflight = 1", r.turn, r.part)
		}
		return err
	})
	if err == nil && p.begin != nil {
		p.begin = nil
	}
	return fresh, err
}

// find returns an empty row if there is none.
func (o *Outbox) find(ctx context.Context, k key) (row, error) {
	found, _, err := store.One(ctx, o.db, func(from store.Row) (r row, err error) {
		return r, from.Scan(&r.message, &r.text, store.Time(&r.began), store.Time(&r.tried))
	}, "SELECT message, text, began, tried FROM posts WHERE turn = ? AND part = ?", k.turn, k.part)
	return found, err
}

// knows reports whether a message is that of some post.
func (o *Outbox) knows(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (bool, error) {
	return store.Value[bool](ctx, o.db, "SELECT COUNT(*) > 0 FROM posts WHERE channel = ? AND message = ?", string(ch), string(m))
}

// arrived writes the ID of a message that was posted, and drops its text.
func (o *Outbox) arrived(ctx context.Context, k key, m chat.MessageID) error {
	err := o.update(ctx, k, "UPDATE posts SET message = ?, text = '' WHERE turn = ? AND part = ?", string(m), k.turn, k.part)
	if err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.retracted, k)
	}
	return err
}

// retry writes the time and text of another attempt.
func (o *Outbox) retry(ctx context.Context, k key, text string) error {
	return o.update(ctx, k, "UPDATE posts SET tried = ?, text = ? WHERE turn = ? AND part = ?", o.server.Now().UnixMicro(), text, k.turn, k.part)
}

// update changes a row, even if ctx has ended.
func (o *Outbox) update(ctx context.Context, k key, query string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if _, err := o.db.ExecContext(ctx, query, args...); err != nil {
		return o.fault(ctx, k, err)
	}
	return nil
}

// Close closes a turn, in a transaction of the caller's. The texts of its posts are dropped,
// since they are not searched for any more, and its placeholders are not in flight any more, but
// for one that still shows its button: the next start repairs it.
func (o *Outbox) Close(ctx context.Context, tx *store.Tx, turn chat.TurnID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE posts SET text = '', inflight = inflight AND part NOT IN (SELECT value FROM json_each(?))
		WHERE turn = ? AND (text <> '' OR inflight = 1)`, store.JSON(o.takeFinished(turn)), turn)
	return err
}

// Share lets another turn go on with a placeholder of a turn, in a transaction of the caller's: it is the first post of both. It
// does nothing if the placeholder is known to be gone.
func (o *Outbox) Share(ctx context.Context, tx *store.Tx, from chat.TurnID, part string, with chat.TurnID, first string) error {
	if o.isFinished(key{from, part}) {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO posts (turn, part, channel, message, text, inflight, began, tried)
		SELECT ?, ?, channel, message, '', 1, began, tried FROM posts WHERE turn = ? AND part = ? AND message <> ''
		ON CONFLICT DO NOTHING`, with, first, from, part)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE posts SET inflight = 0 WHERE turn = ? AND part = ?", from, part)
	return err
}

func (o *Outbox) isFinished(k key) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.finished[k]
}

// takeFinished removes and returns the parts that are known to be finished. Should the
// transaction fail, the next start recognises them by their messages.
func (o *Outbox) takeFinished(turn chat.TurnID) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	parts := []string{}
	for k := range o.finished {
		if k.turn == turn {
			parts = append(parts, k.part)
			delete(o.finished, k)
		}
	}
	return parts
}

// A Placeholder is a post that was in flight when an earlier process ended.
type Placeholder struct {
	Turn    chat.TurnID
	Channel chat.ChannelID
	Message chat.MessageID
}

// InFlight returns the placeholders that were left in flight within the retention, oldest
// first.
func (o *Outbox) InFlight(ctx context.Context) ([]Placeholder, error) {
	return store.All(ctx, o.db, func(row store.Row) (p Placeholder, err error) { return p, row.Scan(&p.Turn, &p.Channel, &p.Message) },
		"SELECT turn, channel, message FROM posts WHERE inflight = 1 AND message <> '' AND began > ? ORDER BY began",
		o.server.Now().Add(-Retention).UnixMicro())
}

// Settle marks a placeholder as not in flight any more.
func (o *Outbox) Settle(ctx context.Context, p Placeholder) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	_, err := o.db.ExecContext(ctx, "UPDATE posts SET inflight = 0 WHERE channel = ? AND message = ?", string(p.Channel), string(p.Message))
	return err
}
