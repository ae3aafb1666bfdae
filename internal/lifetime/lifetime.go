// Package lifetime records how a process ended, so that the next one can say whether it
// follows a stop, a restart that a user asked for, or a crash.
//
// It is a single row in the database. [Store.Last] reads it at the start,
// [Store.Running] marks it as running, and Stopped or Restarting as ended. A row that is still
// marked as running means a crash.
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

// A Kind is the reason of a start.
type Kind string

const (
	First     Kind = "first start"    // there is no row
	Crashed   Kind = "crash"          // the row is still marked as running
	Stopped   Kind = "stop"           // it shut down in order
	Restarted Kind = "restart"        // asked for by a user
	Unknown   Kind = "nobody can say" // the database could not be read
)

// A Start says why the bot started.
type Start struct {
	Kind    Kind
	Ended   time.Time // of the process before; after a crash, when that had started
	Restart           // if one was asked for
}

// A Restart records a user's request for one.
type Restart struct {
	By      chat.User      // ID and name
	Asked   chat.MessageID // the request
	Channel chat.ChannelID // of the notice
	Notice  chat.MessageID // the bot's answer; empty if posting it failed
}

// A Store keeps the row.
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

// Last returns how the process before ended.
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

// Running marks the bot as running.
func (s *Store) Running(ctx context.Context) error { return s.write(ctx, running, Restart{}) }

// Stopped marks the bot as stopped, unless it is marked as restarting.
func (s *Store) Stopped(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, "UPDATE lifetime SET state = ?, at = ? WHERE state = ?", stopped, time.Now().UnixMicro(), running)
	if err != nil {
		return fmt.Errorf("note that the bot is %s: %w", stopped, err)
	}
	return nil
}

// Restarting marks the bot as ending for a restart.
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

// afterRestore marks a restored copy as running. The requester of a restart in it has been told since;
// and the bot has run since, even if the copy was made before its first start.
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
