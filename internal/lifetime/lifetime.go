// Package lifetime remembers how the bot ended, so that it can tell when it begins
// again: whether somebody stopped it, asked for a restart, or nobody knows.
//
// It is a single row in the database. [Store.Last] reads it at the start,
// [Store.Running] says that the bot runs now, and one of Stopped and Restarting says
// how it ends. If none of them does, it crashed.
package lifetime

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A Kind is a way to begin.
type Kind string

const (
	First     Kind = "first start"    // it never ran before
	Crashed   Kind = "crash"          // it ended without a word
	Stopped   Kind = "stop"           // it was told to end
	Restarted Kind = "restart"        // somebody asked for it
	Unknown   Kind = "nobody can say" // the database could not be read
)

// A Start is how the bot began.
type Start struct {
	Kind    Kind
	Ended   time.Time // when it ended before; of a crash, when it had begun
	Restart           // if somebody asked for one
}

// A Restart is what is remembered of who asked for one.
type Restart struct {
	By      chat.User      // their ID and name
	Asked   chat.MessageID // the message in which they did
	Channel chat.ChannelID // where the bot said so
	Notice  chat.MessageID // the message in which it did; empty if it could not
}

// A Store keeps it.
type Store struct{ db *store.DB }

// NewStore returns a store over a database that is open when it is used.
func NewStore(db *store.DB) *Store {
	db.OnRestore("lifetime", afterRestore)
	return &Store{db: db}
}

// States of the row.
const (
	running    = "running"
	stopped    = "stopped"
	restarting = "restarting"
)

// Last is how the bot ended the last time.
func (s *Store) Last(ctx context.Context) (Start, error) {
	var state string
	var at int64
	var r Restart
	err := s.db.QueryRowContext(ctx, "SELECT state, at, by_id, by_name, asked, channel, notice FROM lifetime").
		Scan(&state, &at, &r.By.ID, &r.By.Name, &r.Asked, &r.Channel, &r.Notice)
	if errors.Is(err, sql.ErrNoRows) {
		return Start{Kind: First}, nil
	}
	if err != nil {
		return Start{Kind: Unknown}, fmt.Errorf("look how the bot ended: %w", err)
	}
	start := Start{Kind: Crashed, Ended: time.UnixMicro(at), Restart: r}
	switch state {
	case stopped:
		start.Kind = Stopped
	case restarting:
		start.Kind = Restarted
	}
	return start, nil
}

// Running notes that the bot runs.
func (s *Store) Running(ctx context.Context) error { return s.write(ctx, running, Restart{}) }

// Stopped notes that the bot was told to end, unless it is known to end for a restart.
func (s *Store) Stopped(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, "UPDATE lifetime SET state = ?, at = ? WHERE state = ?", stopped, time.Now().UnixMicro(), running)
	if err != nil {
		return fmt.Errorf("note that the bot is %s: %w", stopped, err)
	}
	return nil
}

// Restarting notes that the bot ends because somebody asked for a restart.
func (s *Store) Restarting(ctx context.Context, r Restart) error { return s.write(ctx, restarting, r) }

func (s *Store) write(ctx context.Context, state string, r Restart) error {
	_, err := s.db.ExecContext(ctx,
		`INSERT INTO lifetime (id, state, at, by_id, by_name, asked, channel, notice) VALUES (1, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET state = excluded.state, at = excluded.at, by_id = excluded.by_id, by_name = excluded.by_name,
			asked = excluded.asked, channel = excluded.channel, notice = excluded.notice`,
		state, time.Now().UnixMicro(), string(r.By.ID), r.By.Name, string(r.Asked), string(r.Channel), string(r.Notice))
	if err != nil {
		return fmt.Errorf("note that the bot is %s: %w", state, err)
	}
	return nil
}

// afterRestore is for a database that is an old copy. If somebody had asked for a restart then,
// they have been told since; and the bot has run, though the copy may not know it.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM lifetime")
	if err == nil {
		_, err = tx.ExecContext(ctx, "INSERT INTO lifetime (id, state, at) VALUES (1, ?, ?)", running, time.Now().UnixMicro())
	}
	if err != nil {
		return fmt.Errorf("forget how the bot ended: %w", err)
	}
	return nil
}
