// Package sessions keeps the gateway session with its sequence number, so that the next process
// resumes it: Discord replays the events since that number, and none before it.
//
// It is a single row in the database, because it changes with every message and has to be
// cheap. [Store.Save] writes it, [Store.Load] reads it at the start.
package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/store"
)

// A Store keeps the session.
type Store struct{ db *store.DB }

// NewStore returns a store over a database that is open when it is used.
func NewStore(db *store.DB) *Store {
	db.OnRestore("gateway", afterRestore)
	return &Store{db: db}
}

// Load returns the session that was saved last. It is zero if there is none, or if it
// belongs to another owner, who alone can resume it.
func (s *Store) Load(ctx context.Context, owner string) (gateway.Session, error) {
	var found gateway.Session
	err := s.db.QueryRowContext(ctx, "SELECT session, address, sequence FROM gateway WHERE owner = ?", owner).
		Scan(&found.ID, &found.ResumeURL, &found.Sequence)
	if errors.Is(err, sql.ErrNoRows) {
		return gateway.Session{}, nil
	}
	if err != nil {
		return gateway.Session{}, fmt.Errorf("look where the bot left off on Discord: %w", err)
	}
	return found, nil
}

// Save replaces the saved session. A zero one removes it.
func (s *Store) Save(ctx context.Context, owner string, now gateway.Session) error {
	var err error
	if now.ID == "" {
		_, err = s.db.ExecContext(ctx, "DELETE FROM gateway")
	} else {
		_, err = s.db.ExecContext(ctx,
			`INSERT INTO gateway (id, owner, session, address, sequence) VALUES (1, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, session = excluded.session, address = excluded.address, sequence = excluded.sequence`,
			owner, now.ID, now.ResumeURL, now.Sequence)
	}
	if err != nil {
		return fmt.Errorf("note where the bot is on Discord: %w", err)
	}
	return nil
}

// afterRestore drops the session of a restored copy. Resuming it would replay events that were
// handled after the copy was made.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM gateway"); err != nil {
		return fmt.Errorf("forget where the bot was on Discord: %w", err)
	}
	return nil
}
