// Package inflight remembers which replies are being written. A process can end
// without a word, and then nobody would ever finish them: when it starts again, it
// marks them as interrupted.
//
// [Replies] is told when a reply begins and when it is over. At the start, Recall
// finds those that an earlier process left, and Repair marks them, but for those that
// Spare names.
package inflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// Note is what stands in a reply that nobody will finish.
const Note = "*(Interrupted: the bot was restarted. Please ask again.)*"

// keep is how long an unfinished reply is worth a mark. Later, nobody looks at it.
const keep = 24 * time.Hour

// A Server is where replies are.
type Server interface {
	Message(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (chat.Message, error)
	Edit(ctx context.Context, ch chat.ChannelID, m chat.MessageID, to chat.Outgoing) error
}

// Replies are those that are being written. They are safe for concurrent use.
type Replies struct {
	db *store.DB

	mu   sync.Mutex
	left []reply // by an earlier process, and not marked yet
}

type reply struct {
	channel chat.ChannelID
	message chat.MessageID
}

// New returns replies over a database that is open when they are used.
func New(db *store.DB) *Replies { return &Replies{db: db} }

// Began notes that a reply is being written.
func (r *Replies) Began(ctx context.Context, ch chat.ChannelID, m chat.MessageID) error {
	_, err := r.db.ExecContext(ctx, "INSERT INTO inflight (message, channel, began) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		string(m), string(ch), time.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("note that reply %s is being written: %w", m, err)
	}
	return nil
}

// Over notes that a reply is finished, or gone.
func (r *Replies) Over(ctx context.Context, m chat.MessageID) error {
	if _, err := r.db.ExecContext(ctx, "DELETE FROM inflight WHERE message = ?", string(m)); err != nil {
		return fmt.Errorf("note that reply %s is over: %w", m, err)
	}
	return nil
}

// Spare keeps replies from being marked that somebody goes on with. It is called between
// Recall and Repair.
func (r *Replies) Spare(taken ...chat.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = slices.DeleteFunc(r.left, func(one reply) bool { return slices.Contains(taken, one.message) })
}

// Recall finds what an earlier process left. It is called once, before the first reply
// of this one begins.
func (r *Replies) Recall(ctx context.Context) error {
	old := time.Now().Add(-keep).UnixMicro()
	rows, err := r.db.QueryContext(ctx, "SELECT channel, message FROM inflight WHERE began > ? ORDER BY began", old)
	if err != nil {
		return fmt.Errorf("look for unfinished replies: %w", err)
	}
	defer rows.Close()
	var left []reply
	for rows.Next() {
		var one reply
		if err := rows.Scan(&one.channel, &one.message); err != nil {
			return fmt.Errorf("look for unfinished replies: %w", err)
		}
		left = append(left, one)
	}
	r.remain(left)
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return fmt.Errorf("look for unfinished replies: %w", err)
	}
	// In the end: on a full disk it fails.
	if _, err := r.db.ExecContext(ctx, "DELETE FROM inflight WHERE began <= ?", old); err != nil {
		return fmt.Errorf("forget old replies: %w", err)
	}
	return nil
}

// remain notes what an earlier process left.
func (r *Replies) remain(left []reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = left
}

// Repair marks what an earlier process left, all at the same time, and says how many
// were marked. One that was finished, though nobody noted it any more, stays as it is.
// One that cannot be changed any more, since it is deleted or the bot may no longer
// write there, is forgotten. One that Discord did not answer for is kept for the next
// call.
func (r *Replies) Repair(ctx context.Context, s Server) (marked int, err error) {
	left := r.take()
	problems := make([]error, len(left))
	var wg sync.WaitGroup
	for i, one := range left {
		wg.Go(func() { problems[i] = one.mark(ctx, s) })
	}
	wg.Wait()
	for i, one := range left {
		switch problem := problems[i]; {
		case problem == nil:
			marked++
			err = errors.Join(err, r.Over(context.WithoutCancel(ctx), one.message))
		case errors.Is(problem, errFinished), final(problem):
			err = errors.Join(err, r.Over(context.WithoutCancel(ctx), one.message))
		default:
			err = errors.Join(err, fmt.Errorf("mark reply %s: %w", one.message, problem))
			r.putBack(one)
		}
	}
	return marked, err
}

var errFinished = errors.New("the reply is finished")

// mark says in a reply that nobody will finish it. As long as it is being written, it
// has a button that stops that; a finished one must not be lost. Where the bot may not
// look, it goes by what was noted.
func (one reply) mark(ctx context.Context, s Server) error {
	m, err := s.Message(ctx, one.channel, one.message)
	switch {
	case err == nil && !m.Buttons:
		return errFinished
	case err != nil && !final(err):
		return err
	}
	return s.Edit(ctx, one.channel, one.message, chat.Outgoing{Text: Note, Buttons: []chat.Button{}})
}

// final says whether an error will be the same the next time.
func final(err error) bool {
	var refusal interface{ Permanent() bool }
	return errors.As(err, &refusal) && refusal.Permanent()
}

func (r *Replies) take() []reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.left
	r.left = nil
	return left
}

func (r *Replies) putBack(one reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.left, one) {
		r.left = append(r.left, one)
	}
}
