package outbox

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A row is a post as it is written down.
type row struct {
	message      chat.MessageID // empty if nobody knows
	text         string         // that was sent last; empty if that does not matter any more
	began, tried time.Time
}

// begin notes that a message is about to be sent, and says whether this is the first
// time.
func (o *Outbox) begin(ctx context.Context, k key, ch chat.ChannelID, text string) (fresh bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	now := o.server.Now().UnixMicro()
	res, err := o.db.ExecContext(ctx, "INSERT INTO posts (turn, part, channel, text, began, tried) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		k.turn, k.part, string(ch), text, now, now)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// find returns an empty row if there is none.
func (o *Outbox) find(ctx context.Context, k key) (row, error) {
	var r row
	var began, tried int64
	err := o.db.QueryRowContext(ctx, "SELECT message, text, began, tried FROM posts WHERE turn = ? AND part = ?", k.turn, k.part).Scan(&r.message, &r.text, &began, &tried)
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, nil
	}
	r.began, r.tried = time.UnixMicro(began), time.UnixMicro(tried)
	return r, err
}

// knows says whether a message is that of some post.
func (o *Outbox) knows(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (known bool, err error) {
	err = o.db.QueryRowContext(ctx, "SELECT COUNT(*) > 0 FROM posts WHERE channel = ? AND message = ?", string(ch), string(m)).Scan(&known)
	return known, err
}

// arrived writes down that a message is there. What it says is Discord's to keep.
func (o *Outbox) arrived(ctx context.Context, k key, m chat.MessageID) {
	o.note(ctx, k, "UPDATE posts SET message = ?, text = '' WHERE turn = ? AND part = ?", string(m), k.turn, k.part)
}

// note writes down what became of a post, whatever becomes of the turn.
func (o *Outbox) note(ctx context.Context, k key, query string, args ...any) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if _, err := o.db.ExecContext(ctx, query, args...); err != nil {
		o.log.ErrorContext(ctx, "post not written down", "turn", k.turn, "err", err)
	}
}

// Messages are those that turns have posted, as far as they are known.
func (o *Outbox) Messages(ctx context.Context, turns ...string) (list []chat.MessageID, err error) {
	for _, turn := range turns {
		some, err := o.messages(ctx, turn)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

func (o *Outbox) messages(ctx context.Context, turn string) (list []chat.MessageID, err error) {
	rows, err := o.db.QueryContext(ctx, "SELECT message FROM posts WHERE turn = ? AND message <> '' ORDER BY part", turn)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var m chat.MessageID
		if err := rows.Scan(&m); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, rows.Err()
}

// Close forgets what the posts of a turn say that is over, since they are not looked for any
// more. That they were begun is still known. It is part of a transaction of the caller's.
func (o *Outbox) Close(ctx context.Context, tx *store.Tx, turn string) error {
	_, err := tx.ExecContext(ctx, "UPDATE posts SET text = '' WHERE turn = ? AND text <> ''", turn)
	return err
}

// Prune forgets the posts that were begun before a time.
func (o *Outbox) Prune(ctx context.Context, before time.Time) error {
	_, err := o.db.ExecContext(ctx, "DELETE FROM posts WHERE began < ?", before.UnixMicro())
	return err
}
