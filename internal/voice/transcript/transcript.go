// Package transcript keeps what was said to the bot in calls, and what it answered, for a week. It also knows who does not want to be
// heard there. It keeps no sound, and nothing of people who said nothing to the bot.
package transcript

import (
	"context"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

const (
	// Retention is how long transcripts are kept.
	Retention = 7 * 24 * time.Hour

	maxText = 500 // characters of what was said, and of the answer
)

// An Exchange is what somebody said to the bot in one turn, and its answer.
type Exchange struct {
	Turn     chat.TurnID
	Place    chat.Place
	Person   chat.UserID
	Said     string
	Answered string // as much as was heard of it
	At       time.Time
	Outside  chat.Sources // the outside texts that may be in the answer
}

// A Store is safe for concurrent use, as soon as its database is open.
type Store struct {
	db      *store.DB
	unheard unheard
}

// New returns a store over a database, which need not be open yet.
func New(db *store.DB) *Store {
	db.Retain("transcripts", "at", Retention)
	return &Store{db: db}
}

// Keep stores an exchange, in place of what was stored for that turn before. It keeps the beginning of long texts.
func (s *Store) Keep(ctx context.Context, x Exchange) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO transcripts (turn, guild, channel, person, said, answered, at, outside)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (turn) DO UPDATE SET said = excluded.said, answered = excluded.answered, outside = excluded.outside`,
		x.Turn, x.Place.Guild, x.Place.Channel, x.Person, chat.Clip(x.Said, maxText), chat.Clip(x.Answered, maxText), x.At.UnixMicro(), x.Outside)
	return store.Plain(err)
}
