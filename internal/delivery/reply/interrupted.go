package reply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
)

// Interrupted is the text of an answer that will not be finished.
const Interrupted = "*(Interrupted: the bot was restarted. Please ask again.)*"

// Recall loads the placeholders that an earlier process left in flight. It is called once, before
// the first answer of this one.
func (r *Replies) Recall(ctx context.Context) error {
	left, err := r.outbox.InFlight(ctx)
	if err != nil {
		return fmt.Errorf("read which replies were in flight: %w", err)
	}
	r.putBack(left...)
	return nil
}

// Repair marks placeholders of an earlier process as interrupted, concurrently, and returns how
// many were marked. Those of turns that are resumed stay. One that became an answer without that
// being written stays as it is. One that cannot be edited any more, since it was deleted or the
// bot may no longer write there, is settled. One for which Discord did not respond is kept for
// the next call.
func (r *Replies) Repair(ctx context.Context, resumed ...chat.TurnID) (marked int, err error) {
	left := slices.DeleteFunc(r.takeLeft(), func(p outbox.Placeholder) bool { return slices.Contains(resumed, p.Turn) })
	problems := make([]error, len(left))
	var wg sync.WaitGroup
	for i, p := range left {
		wg.Go(func() { problems[i] = r.mark(ctx, p) })
	}
	wg.Wait()
	for i, p := range left {
		switch problem := problems[i]; {
		case problem == nil:
			marked++
			err = errors.Join(err, r.outbox.Settle(ctx, p))
		case errors.Is(problem, errFinished), chat.IsPermanent(problem):
			err = errors.Join(err, r.outbox.Settle(ctx, p))
		default:
			err = errors.Join(err, fmt.Errorf("mark reply %s: %w", p.Message, problem))
			r.putBack(p)
		}
	}
	return marked, err
}

var errFinished = errors.New("the reply is finished")

// mark edits a placeholder to say that it was interrupted. A placeholder has a button; a message
// without one is an answer, which must not be lost. If the bot may not read the message, the
// row decides.
func (r *Replies) mark(ctx context.Context, p outbox.Placeholder) error {
	m, err := r.server.Message(ctx, p.Channel, p.Message)
	switch {
	case err == nil && !m.Buttons:
		return errFinished
	case err != nil && !chat.IsPermanent(err):
		return err
	}
	return r.server.Edit(ctx, p.Channel, p.Message, chat.Outgoing{Text: Interrupted, Buttons: []chat.Button{}})
}

func (r *Replies) takeLeft() []outbox.Placeholder {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.left
	r.left = nil
	return left
}

func (r *Replies) putBack(left ...outbox.Placeholder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = append(r.left, left...)
}
