package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/convo"
	"discoclaw/internal/deferral"
	"discoclaw/internal/inbox"
	"discoclaw/internal/prompt"
	"discoclaw/internal/turn"
)

// A deferred run is a job on its way to its turn.
type deferred struct {
	deferral.Job
	event   string        // its ID as work, and in the inbox from when it is claimed
	fresh   bool          // nothing can have come of it yet
	late    time.Duration // 0 if that is not worth a word
	origin  actions.Origin
	by      chat.User
	setting prompt.Setting
	turn    turn.Turn
}

// deferredRun is a job before its first step. Its turn has a name; m stands where others have
// the message that they answer, since there is none.
func (f *Flows) deferredRun(j deferral.Job, name string, m chat.MessageID) *deferred {
	return &deferred{
		Job:   j,
		event: deferredEvent(j.ID),
		fresh: true,
		origin: actions.Origin{
			Flow:      access.ByDefer.Flow(),
			Place:     chat.Place{Guild: j.Guild, Channel: j.Channel, Message: m},
			Requester: j.Requester,
			Prompter:  j.Prompter,
			Turn:      name,
		},
		by: f.people.met(chat.User{ID: j.Requester}),
	}
}

// deferredEvent is the event of a job.
func deferredEvent(id int64) string { return fmt.Sprintf("defer-%d", id) }

// A deferredBody is what the inbox keeps of a deferred run.
type deferredBody struct {
	deferral.Job
	Fresh bool // nothing can have come of it yet
}

// record is a deferred run as the inbox keeps it.
func (d *deferred) record() inbox.Event {
	return inbox.Event{ID: d.event, Kind: inbox.Deferred, Place: d.origin.Place, Turn: d.origin.Turn, Body: body(deferredBody{d.Job, d.fresh})}
}

// Deferred is told of a job whose time has come, or is over. It returns at once.
func (f *Flows) Deferred(ctx context.Context, j deferral.Job, fate deferral.Fate) {
	if fate == deferral.Missed {
		// What cannot begin any more is told at the next start.
		f.aside.Go("deferred run that is missed", func(ctx context.Context) {
			if f.tellMissed(ctx, j, notThere) {
				f.finishDeferred(ctx, j.ID)
			}
		})
		return
	}
	f.Log.InfoContext(ctx, "deferred run is due", "job", j.ID, "channel", j.Channel, "user", j.Requester)
	d := f.deferredRun(j, f.NewTurn(), chat.MessageID(fmt.Sprintf("defer-%d", time.Now().UnixMilli())))
	f.convo.Add(f.deferredWork(d, func(ctx context.Context) {
		if f.claim(ctx, d) {
			f.have(ctx, f.deferredOccasion(d))
		}
	}))
}

// finishDeferred forgets a job that was never claimed.
func (f *Flows) finishDeferred(ctx context.Context, id int64) {
	if err := f.Deferrals.Finish(context.WithoutCancel(ctx), id); err != nil {
		f.Log.ErrorContext(ctx, "deferred run not forgotten", "job", id, "err", err)
	}
}

func (f *Flows) deferredWork(d *deferred, run func(context.Context)) convo.Work {
	return convo.Work{
		ID: d.event, Channel: d.Channel, Message: d.origin.Place.Message,
		Run: func(ctx context.Context, _ []chat.Message) { run(ctx) },
	}
}

// claim takes a job from those that wait into the inbox, in one step: from here on it is
// taken up after the end of the process like everything else that has begun.
func (f *Flows) claim(ctx context.Context, d *deferred) bool {
	if isGoingDown(ctx) {
		return false // it waits for the next start
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	ours, err := f.Deferrals.Claim(ctx, d.ID, f.Inbox.Entry(d.record()))
	switch {
	case err != nil: // it is handed out again
		f.Log.ErrorContext(ctx, "deferred run is put off", "job", d.ID, "channel", d.Channel, "err", err)
	case !ours:
		f.Log.InfoContext(ctx, "deferred run was cancelled", "job", d.ID, "channel", d.Channel)
	}
	return ours
}

// takeUpDeferred takes up a run that was claimed, or gives it up.
func (f *Flows) takeUpDeferred(_ context.Context, e inbox.Event) error {
	var b deferredBody
	if err := json.Unmarshal(e.Body, &b); err != nil {
		return err
	}
	d := f.deferredRun(b.Job, e.Turn, e.Place.Message)
	d.fresh = b.Fresh
	if tell := f.end(d, e); tell != nil {
		f.aside.Go("deferred run that is given up", func(ctx context.Context) {
			if f.resume(ctx, d) && tell(ctx) {
				f.abandon(ctx, e)
			}
		})
		return nil
	}
	if e.Begun {
		f.again.add(e.Turn)
	}
	f.convo.Add(f.deferredWork(d, func(ctx context.Context) {
		if f.resume(ctx, d) {
			f.have(ctx, f.deferredOccasion(d))
		}
	}))
	return nil
}

// resume goes on with a run that was claimed before, unless somebody has called it off.
func (f *Flows) resume(ctx context.Context, d *deferred) (ours bool) {
	if isGoingDown(ctx) {
		return false // it waits for the next start
	}
	known := f.note(ctx, func(ctx context.Context) (err error) {
		ours, err = f.Inbox.Resume(ctx, d.event)
		return err
	})
	switch {
	case !known:
		f.putOff(ctx, d.event)
	case !ours:
		f.Log.InfoContext(ctx, "deferred run was cancelled", "job", d.ID, "channel", d.Channel)
	}
	return ours
}

// deferredOccasion is that of a job that was claimed.
func (f *Flows) deferredOccasion(d *deferred) occasion {
	return occasion{
		work: d.event, turn: d.origin.Turn, events: []string{d.event}, place: d.origin.Place, by: d.by,
		begin: func(ctx context.Context) (chat.Message, turn.Turn, error) {
			err := f.prepare(ctx, d)
			about := chat.Message{ID: d.origin.Place.Message, Place: d.origin.Place, Author: d.by, Text: d.Prompt}
			return about, d.turn, err
		},
		over: func(ctx context.Context, over Turn) {
			if errors.Is(over.Err, turn.ErrStopped) && len(over.Result.Receipts) == 0 {
				f.tellStopped(ctx, d)
			}
		},
	}
}
