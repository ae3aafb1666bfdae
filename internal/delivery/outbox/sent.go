package outbox

import (
	"context"
	"log/slog"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// Sent are the messages that actions sent, unlike answers, cards, questions and reports. It is a list of what may be
// edited: a message that a crash kept out of it cannot be.
type Sent struct {
	db  *store.DB
	log *slog.Logger
}

// NewSent returns the list in a database that is open when it is used.
func NewSent(db *store.DB, log *slog.Logger) *Sent { return &Sent{db, log} }

// Add adds a message. It is idempotent. A failure is logged alone: the message has been sent.
func (s *Sent) Add(ctx context.Context, ch chat.ChannelID, m chat.MessageID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if _, err := s.db.ExecContext(ctx, "INSERT INTO sent (channel, message) VALUES (?, ?) ON CONFLICT DO NOTHING", string(ch), string(m)); err != nil {
		s.log.ErrorContext(ctx, "cannot record a sent message, so it cannot be edited", "channel", ch, "message", m, "err", err)
	}
}

// Has reports whether an action sent a message.
func (s *Sent) Has(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (bool, error) {
	has, err := store.Value[bool](ctx, s.db, "SELECT COUNT(*) > 0 FROM sent WHERE channel = ? AND message = ?", string(ch), string(m))
	return has, store.Plain(err)
}

// Latest returns the latest message in a channel that an action sent; empty if there is none.
func (s *Sent) Latest(ctx context.Context, ch chat.ChannelID) (chat.MessageID, error) {
	m, err := store.Value[chat.MessageID](ctx, s.db, "SELECT message FROM sent WHERE channel = ? ORDER BY LENGTH(message) DESC, message DESC LIMIT 1", string(ch))
	return m, store.Plain(err)
}

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

// MarkName records the outside texts after which the bot gave something on a server its name. A failure is logged alone: it has that name.
func (o *Outbox) MarkName(of chat.Sources, g chat.GuildID, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	_, err := o.db.ExecContext(ctx, "INSERT INTO named (guild, name, outside, at) VALUES (?, ?, ?, ?) ON CONFLICT (guild, name) DO UPDATE SET at = excluded.at",
		string(g), name, string(of), time.Now().UnixMicro())
	if err != nil {
		o.log.ErrorContext(ctx, "cannot record what a name was given after", "guild", g, "err", err)
	}
}

// A Given is a name that the bot gave after outside texts had been read.
type Given struct {
	Name    string
	Outside chat.Sources
}

// Given returns the names on a server that the bot gave after outside texts had been read.
func (o *Outbox) Given(ctx context.Context, g chat.GuildID) ([]Given, error) {
	list, err := store.All(ctx, o.db, func(row store.Row) (n Given, err error) {
		err = row.Scan(&n.Name, &n.Outside)
		return n, err
	}, "SELECT name, outside FROM named WHERE guild = ?", string(g))
	return list, store.Plain(err)
}
