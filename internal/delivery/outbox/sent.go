package outbox

import (
	"context"
	"log/slog"

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
