package flow

import (
	"context"
	"slices"
	"time"

	"discoclaw/internal/inbox"
)

// aWhile is how long something is put off that Discord does not do. It has been tried for
// some time by then.
const aWhile = time.Minute

// putOff lets events wait, since Discord does not answer, and then goes on with their turn
// as the next process would: the model is not asked again for an answer that is known,
// and nothing is done or posted twice.
func (f *Flows) putOff(ctx context.Context, events ...string) {
	if f.Inbox == nil || len(events) == 0 {
		return
	}
	f.Log.WarnContext(ctx, "turn is put off", "event", events[0])
	f.note(ctx, func(ctx context.Context) error { return f.Inbox.PutBack(ctx, events...) })
	// If the bot goes down first, the next start goes on with it.
	f.aside.Go("turn that was put off", func(ctx context.Context) {
		if !f.aside.Pause(ctx, aWhile) {
			return
		}
		list, err := f.Inbox.Unfinished(ctx)
		if err != nil {
			f.Log.ErrorContext(ctx, "turn stays put off until the next start", "event", events[0], "err", err)
			return
		}
		list = slices.DeleteFunc(list, func(e inbox.Event) bool { return !slices.Contains(events, e.ID) })
		for _, events := range byTurn(list) {
			f.takeUpTurn(ctx, events)
		}
	})
}
