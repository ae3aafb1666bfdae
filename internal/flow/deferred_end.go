package flow

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/inbox"
	"discoclaw/internal/turn"
)

// tellStopped says that a run was stopped of which there is nothing to see: who asked
// for it would wait in vain.
func (f *Flows) tellStopped(ctx context.Context, d *deferred) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stoppedTime)
	defer cancel()
	text := fmt.Sprintf("*(The follow-up that <@%s> had asked for here, with the id %d, was stopped.)*", d.Requester, d.ID)
	if _, err := f.Server.Send(ctx, d.Channel, chat.Outgoing{Text: text}); err != nil {
		f.Log.WarnContext(ctx, "nobody could be told", "job", d.ID, "channel", d.Channel, "err", err)
	}
}

// stoppedTime is how long it may take to say so.
const stoppedTime = 10 * time.Second

// end tells that a run is given up: one that could not be finished in the time in which it
// could have begun, or in three tries. It is nil for one that can go on.
func (f *Flows) end(d *deferred, e inbox.Event) (tell func(context.Context) bool) {
	missed := func(why string) func(context.Context) bool {
		return func(ctx context.Context) bool { return f.tellMissed(ctx, d.Job, why) }
	}
	unfinished := func(why string) func(context.Context) bool {
		return func(ctx context.Context) bool { return f.tellUnfinished(ctx, d.Job, why) }
	}
	switch late := time.Since(d.Due) > deferral.Patience; {
	case late && !e.Begun:
		return missed(notThere)
	case late && d.fresh:
		return missed("something kept it from beginning")
	case late:
		return unfinished("it is too late for that now")
	case wasBegunOften(e):
		return unfinished("the bot ended in the middle of it")
	}
	return nil
}

// notThere is why a job was missed that nobody looked at.
const notThere = "the bot was not there"

// tellMissed tells where a job should have run, and the operators, why it was not run and will
// not be. It says whether it got to that.
func (f *Flows) tellMissed(ctx context.Context, j deferral.Job, why string) bool {
	return f.tellOfEnd(ctx, j,
		fmt.Sprintf("⌛ <@%s> had asked for a follow-up here at %s (id %d), but %s. It is too late now, so it was not run; ask again if it is still wanted.", j.Requester, dueAt(j), j.ID, why),
		fmt.Sprintf("%s was missed, since %s: it was due on %s.", naming(j), why, dueAt(j)))
}

// tellUnfinished is the same for one that may have done something.
func (f *Flows) tellUnfinished(ctx context.Context, j deferral.Job, why string) bool {
	return f.tellOfEnd(ctx, j,
		fmt.Sprintf("⚠️ The follow-up that <@%s> had asked for here at %s (id %d) was begun, but not finished: %s. Please look how far it came before asking again.", j.Requester, dueAt(j), j.ID, why),
		fmt.Sprintf("%s was begun, but not finished: %s. It was due on %s.", naming(j), why, dueAt(j)))
}

func dueAt(j deferral.Job) string { return j.Due.UTC().Format("2 January 15:04 UTC") }

func (f *Flows) tellOfEnd(ctx context.Context, j deferral.Job, text, report string) bool {
	f.Log.WarnContext(ctx, "deferred run given up", "job", j.ID, "channel", j.Channel, "user", j.Requester, "reason", report)
	err := f.tellInTime(ctx, j, text)
	if ctx.Err() != nil {
		return false // the next start tells it
	}
	if err != nil {
		f.Log.WarnContext(ctx, "nobody could be told", "job", j.ID, "channel", j.Channel, "err", err)
	}
	f.Report(ctx, report)
	return true
}

// tellInTime tells something where a job should have run. A job is often missed because
// Discord is out of order, so this is tried for a while.
func (f *Flows) tellInTime(ctx context.Context, j deferral.Job, text string) error {
	for began := time.Now(); ; {
		err := f.tell(ctx, j, text)
		if !isPassing(err) || time.Since(began) > deferral.Patience {
			return err
		}
		if !f.aside.Pause(ctx, time.Minute) {
			return ctx.Err()
		}
	}
}

// tell tells something where a job should have run, if its requester is still served
// there. It is told once, whoever tells it again.
func (f *Flows) tell(ctx context.Context, j deferral.Job, text string) error {
	d := f.deferredRun(j, "", "")
	if err := f.findTarget(ctx, d); err != nil {
		return err
	}
	if err := f.isStillServed(ctx, d); err != nil {
		return err
	}
	told, err := f.Server.Venue(reply.Options{Place: d.origin.Place, Turn: d.event}).Open(ctx, "end", "")
	if err != nil {
		return err
	}
	_, err = told.Finish(ctx, turn.Body{Text: text})
	return err
}

// naming is how operators are told which run something is about.
func naming(j deferral.Job) string {
	return fmt.Sprintf("The deferred run %d of <@%s> in <#%s>", j.ID, j.Requester, j.Channel)
}
