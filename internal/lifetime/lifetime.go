// Package lifetime remembers how the bot ended, so that it can tell when it begins
// again: whether somebody stopped it, asked for a restart, or nobody knows.
//
// It is a single value in the database. [Store.Last] reads it at the start,
// [Store.Running] says that the bot runs now, and one of Stopped and Restarting says
// how it ends. If none of them does, it crashed.
package lifetime

import (
	"context"
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

// Last is how the bot ended the last time.
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

// Running notes that the bot runs.
func (s *Store) Running(ctx context.Context) error { return s.cell.Save(ctx, now(running, Restart{})) }

// Restarting notes that the bot ends because somebody asked for a restart.
func (s *Store) Restarting(ctx context.Context, r Restart) error {
	return s.cell.Save(ctx, now(restarting, r))
}

// Stopped notes that the bot was told to end, unless it is known to end for a restart.
func (s *Store) Stopped(ctx context.Context) error {
	return s.cell.Update(ctx, func(last record) record {
		if last.State != running {
			return last
		}
		return now(stopped, Restart{})
	})
}
