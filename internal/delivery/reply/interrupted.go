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

// Interrupted is what stands in an answer that will not be finished.
const Interrupted = "*(Interrupted: the bot was restarted. Please ask again.)*"

// Recall reads which placeholders an earlier process left in flight. It is called once, before
// the first answer of this one begins.
func (r *Replies) Recall(ctx context.Context) error {
	left, err := r.outbox.InFlight(ctx)
	if err != nil {
		return fmt.Errorf("read which replies were in flight: %w", err)
	}
	r.putBack(left...)
	return nil
}

// Repair marks what an earlier process left as interrupted, all at the same time, and says how
// many were marked. The answers of turns that are resumed are left alone. One that was finished,
// though that was not written down any more, stays as it is. One that cannot be changed any
// more, since it is deleted or the bot may no longer write there, is forgotten. One that Discord
// did not answer for is kept for the next call.
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
		case errors.Is(problem, errFinished), isPermanent(problem):
			err = errors.Join(err, r.outbox.Settle(ctx, p))
		default:
			err = errors.Join(err, fmt.Errorf("mark reply %s: %w", p.Message, problem))
			r.putBack(p)
		}
	}
	return marked, err
}

var errFinished = errors.New("the reply is finished")

// mark says in a placeholder that its answer will not come. As long as it is one, it has a
// button; a finished answer must not be lost. Where the bot may not look, the row decides.
func (r *Replies) mark(ctx context.Context, p outbox.Placeholder) error {
	m, err := r.server.Message(ctx, p.Channel, p.Message)
	switch {
	case err == nil && !m.Buttons:
		return errFinished
	case err != nil && !isPermanent(err):
		return err
	}
	return r.server.Edit(ctx, p.Channel, p.Message, chat.Outgoing{Text: Interrupted, Buttons: []chat.Button{}})
}

func isPermanent(err error) bool {
	why, refused := refusalOf(err)
	return refused && why.Permanent()
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
