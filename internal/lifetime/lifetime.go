// Package lifetime records how a process ended, so that the next one can say whether it
// follows a stop, a restart that a user asked for, or a crash.
//
// It is a single value in the database. [Store.Last] reads it at the start,
// [Store.Running] marks it as running, and Stopped or Restarting as ended. A value that is still
// marked as running means a crash.
package lifetime

import (
	"context"
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

// A Store keeps the value.
type Store struct{ cell *store.Cell[record] }

// A record is what the database keeps.
type record struct {
	State   string
	At      int64 // since when, in microseconds since 1970
	Restart       // if State is restarting
}

// States of a record. Without one, the bot never ran.
const (
	running    = "running"
	stopped    = "stopped"
	restarting = "restarting"
)

func now(state string, r Restart) record { return record{state, time.Now().UnixMicro(), r} }

// NewStore returns a store over a database that is open when it is used. A restored copy says
// that the bot was running: a restart that it speaks of has been announced since.
func NewStore(db *store.DB) *Store {
	return &Store{store.NewCell(db, "lifetime", now(running, Restart{}))}
}

// Last returns how the process before ended.
func (s *Store) Last(ctx context.Context) (Start, error) {
	last, err := s.cell.Load(ctx)
	if err != nil {
		return Start{Kind: Unknown}, err
	}
	start := Start{Kind: Crashed, Ended: time.UnixMicro(last.At), Restart: last.Restart}
	switch last.State {
	case "":
		return Start{Kind: First}, nil
	case stopped:
		start.Kind = Stopped
	case restarting:
		start.Kind = Restarted
	}
	return start, nil
}

// Running records that the bot runs.
func (s *Store) Running(ctx context.Context) error { return s.cell.Save(ctx, now(running, Restart{})) }

// Restarting records that the bot ends because a user asked for a restart.
func (s *Store) Restarting(ctx context.Context, r Restart) error {
	return s.cell.Save(ctx, now(restarting, r))
}

// Stopped marks the bot as stopped, unless it is marked as restarting.
func (s *Store) Stopped(ctx context.Context) error {
	return s.cell.Update(ctx, func(last record) record {
		if last.State != running {
			return last
		}
		return now(stopped, Restart{})
	})
}
