package outbox

import (
	"context"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// retoldRetention is how long the bot knows what its messages were written after.
const retoldRetention = 366 * 24 * time.Hour

// Mark records the outside texts after which messages of the bot were written. Without any it does nothing.
func (o *Outbox) Mark(ctx context.Context, tx *store.Tx, of chat.Sources, messages ...chat.MessageID) error {
	if of == "" {
		return nil
	}
	for _, m := range messages {
		if _, err := tx.ExecContext(ctx, "INSERT INTO retold (message, outside, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", string(m), string(of), time.Now().UnixMicro()); err != nil {
			return err
		}
	}
	return nil
}

// MarkPosted is Mark for a message that was posted outside of answers. A failure is logged alone: the message is there.
func (o *Outbox) MarkPosted(of chat.Sources, m chat.MessageID) {
	if of == "" || m == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if err := o.db.Tx(ctx, func(tx *store.Tx) error { return o.Mark(ctx, tx, of, m) }); err != nil {
		o.log.ErrorContext(ctx, "cannot record what a message was written after", "message", m, "err", err)
	}
}

// Outside returns the outside texts after which a message of the bot was written. If that cannot be looked up, the
// message counts as such a text.
func (o *Outbox) Outside(m chat.MessageID) chat.Sources {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	of, err := store.Value[chat.Sources](ctx, o.db, "SELECT outside FROM retold WHERE message = ?", string(m))
	if err != nil {
		o.log.ErrorContext(ctx, "cannot look up what a message was written after", "message", m, "err", err)
		return "an earlier message of mine"
	}
	return of
}
