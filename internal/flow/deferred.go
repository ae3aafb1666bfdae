package flow

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/convo"
	"discoclaw/internal/deferral"
	"discoclaw/internal/prompt"
	"discoclaw/internal/sleep"
	"discoclaw/internal/turn"
)

// A deferred run is a job on its way to its turn.
type deferred struct {
	deferral.Job
	late     time.Duration // 0 if that is not worth a word
	origin   actions.Origin
	by       chat.User
	setting  prompt.Setting
	turn     turn.Turn
	requests func() int // to Discord, so far
}

// A deferredStep is one on the way of a deferred run. An error ends it.
type deferredStep struct {
	name string
	do   func(*Flows, context.Context, *deferred) error
}

// deferredSteps are taken in this order, which is part of the rules: nothing is read
// for a place in which the bot does not answer, and nothing is asked of a model for
// somebody who could not ask there themselves.
var deferredSteps = []deferredStep{
	{"switch", (*Flows).isStillOn},
	{"channel", (*Flows).findTarget},
	{"channel list", (*Flows).isStillServed},
	{"requester", (*Flows).mayStillWrite},
	{"context", (*Flows).gatherDeferred},
	{"prompt", (*Flows).wordDeferred},
	{"turn", (*Flows).haveDeferred}, // in which the model is asked, what it asks for is done, and the answer is posted
}

// Deferred is told of a job whose time has come, or is over. It returns at once.
func (f *Flows) Deferred(ctx context.Context, j deferral.Job, fate deferral.Fate) {
	if fate != deferral.Runs {
		// What cannot begin any more is told at the next start.
		f.aside.Go("deferred run that is not run", func(ctx context.Context) { f.giveUpDeferred(ctx, j, fate) })
		return
	}
	message := chat.MessageID(fmt.Sprintf("defer-%d", time.Now().UnixMilli()))
	d := &deferred{
		Job: j,
		origin: actions.Origin{
			Flow:      access.ByDefer.Flow(),
			Place:     chat.Place{Guild: j.Guild, Channel: j.Channel, Message: message},
			Requester: j.Requester,
			Prompter:  j.Prompter,
			Turn:      f.NewTurn(),
		},
		by: f.people.met(chat.User{ID: j.Requester}),
	}
	f.Log.InfoContext(ctx, "deferred run is due", "job", j.ID, "channel", j.Channel, "user", j.Requester)
	f.convo.Add(convo.Work{
		ID: fmt.Sprintf("defer-%d", j.ID), Channel: j.Channel, Message: message,
		Run: func(ctx context.Context, _ []chat.Message) { f.runDeferred(ctx, d) },
	})
}

// runDeferred takes the steps of a deferred run. A fault in it must not end other
// turns.
func (f *Flows) runDeferred(ctx context.Context, d *deferred) {
	defer func() {
		if v := recover(); v != nil {
			f.Log.ErrorContext(ctx, "deferred run panicked", "job", d.ID, "channel", d.Channel, "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			f.endDeferred(ctx, d, "ended with a fault inside the bot; its log has the details")
		}
	}()
	d.late = lateness(time.Since(d.Due))
	ctx, d.requests = f.Server.Counting(ctx)
	for _, step := range deferredSteps {
		if err := step.do(f, ctx, d); err != nil {
			f.halt(ctx, d, step.name, err)
			return
		}
	}
}

// halt ends a deferred run at one of its steps, before anything has come of it.
func (f *Flows) halt(ctx context.Context, d *deferred, step string, err error) {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, turn.ErrRestarting):
		// It waits for the next start.
	case errors.Is(cause, turn.ErrStopped):
		f.tellStopped(ctx, d)
		f.finishDeferred(ctx, d.ID)
	case isPassing(err):
		f.Log.WarnContext(ctx, "deferred run is put off", "job", d.ID, "channel", d.Channel, "reason", step, "err", err)
		f.Deferrals.Return(d.ID)
	default:
		f.Log.WarnContext(ctx, "deferred run not run", "job", d.ID, "channel", d.Channel, "user", d.Requester, "reason", step, "err", err)
		f.endDeferred(ctx, d, "was not run: "+err.Error())
	}
}

// worthAWord is from when on people are told that a run is late. Its time is told in
// minutes.
const worthAWord = time.Minute

func lateness(late time.Duration) time.Duration {
	if late < worthAWord {
		return 0
	}
	return late.Truncate(time.Minute)
}

// isPassing says whether what went wrong may be well in a while.
func isPassing(err error) bool {
	var refusal interface{ Permanent() bool }
	return errors.As(err, &refusal) && !refusal.Permanent()
}

// isStillOn: what was scheduled before the operator switched deferred runs off does not
// run any more.
func (f *Flows) isStillOn(context.Context, *deferred) error {
	if sw := f.Flags["defer"]; !sw.On {
		return fmt.Errorf("%s; %s", sw.Why, sw.Remedy)
	}
	return nil
}

// findTarget finds the channel, which may be gone, by its ID: somebody may have given
// its name to another one since.
func (f *Flows) findTarget(ctx context.Context, d *deferred) error {
	ch, err := f.Server.ChannelByID(ctx, d.Channel)
	switch {
	case err != nil:
		return fmt.Errorf("find its channel, #%s: %w", d.Name, err)
	case ch.Guild != d.Guild || !ch.Kind.TakesMessages():
		return errors.New("its channel is not one for messages any more")
	case ch.Kind == chat.Thread:
		d.origin.Place.Parent = ch.Parent
	}
	return nil
}

// isStillServed asks the one function that lets people in. The bot answers in some
// channels only, and to some people only, and both may have changed.
func (f *Flows) isStillServed(_ context.Context, d *deferred) error {
	for _, who := range d.origin.People() {
		if why := f.Access.Admit(access.ByDefer, chat.User{ID: who}, d.origin.Place); why != access.Admitted {
			return fmt.Errorf("who asked for it, or the channel, is not served any more (%s)", why)
		}
	}
	return nil
}

// mayStillWrite makes sure that who asked for it could say there what it will say.
func (f *Flows) mayStillWrite(ctx context.Context, d *deferred) error {
	for _, who := range d.origin.People() {
		missing, err := f.Server.Missing(ctx, d.Guild, who, d.Channel, []chat.Permission{chat.ViewChannel, chat.SendMessages})
		if err != nil {
			return fmt.Errorf("look up the rights of who asked for it: %w", err)
		}
		if len(missing) > 0 {
			return fmt.Errorf("who asked for it lacks “%s” there by now", missing[0])
		}
	}
	return nil
}

// gatherDeferred finds out what the prompt is made of. Without what people keep for
// the bot, the run knows less; without the run, what somebody waits for is lost.
func (f *Flows) gatherDeferred(ctx context.Context, d *deferred) (err error) {
	gate := f.Registry.Gate(f.Flags, Narrowings(d.origin)...)
	if d.setting, err = f.setting(ctx, d.origin.Place, gate, nil); err != nil {
		f.Log.WarnContext(ctx, "deferred run goes without its context", "job", d.ID, "channel", d.Channel, "err", err)
	}
	return context.Cause(ctx)
}

func (f *Flows) wordDeferred(_ context.Context, d *deferred) error {
	d.turn = turn.Turn{
		Origin: d.origin,
		Gate:   d.setting.Gate,
		Prompt: prompt.Deferred{Setting: d.setting, Channel: d.Channel, At: d.Due, Late: d.late, By: d.by, Words: d.Prompt},
		Venue:  posts{server: f.Server, channel: d.Channel, remark: d.remark()},
		Model:  f.Model(), MayPass: true, Unawaited: true,
	}
	return nil
}

// remark tells readers that they should have heard earlier.
func (d *deferred) remark() string {
	if d.late == 0 {
		return ""
	}
	return fmt.Sprintf("-# Late by %d min: this was due at %s.", int(d.late.Minutes()), d.Due.UTC().Format("15:04 UTC"))
}

// haveDeferred has the turn. From here on something can come of the job, so it is
// claimed, and not run again.
func (f *Flows) haveDeferred(ctx context.Context, d *deferred) error {
	ours, err := f.Deferrals.Claim(ctx, d.ID)
	switch {
	case err != nil: // it is handed out again
		f.Log.ErrorContext(ctx, "deferred run is put off", "job", d.ID, "channel", d.Channel, "err", err)
		return nil
	case !ours:
		f.Log.InfoContext(ctx, "deferred run was cancelled", "job", d.ID, "channel", d.Channel)
		return nil
	}
	about := chat.Message{ID: d.origin.Place.Message, Place: d.origin.Place, Author: d.by, Text: d.Prompt}
	over := f.carry(ctx, d.turn, Turn{Message: about, By: d.by}, d.requests)
	f.stats.over(over)
	f.Over(ctx, over)
	if errors.Is(over.Err, turn.ErrStopped) && len(over.Result.Receipts) == 0 {
		f.tellStopped(ctx, d)
	}
	switch {
	case !errors.Is(over.Err, turn.ErrRestarting), len(over.Result.Receipts) > 0:
		f.finishDeferred(ctx, d.ID)
	case len(over.Result.Outcomes()) == 0: // nothing came of it
		if err := f.Deferrals.Release(context.WithoutCancel(ctx), d.ID); err != nil {
			f.Log.ErrorContext(ctx, "deferred run not put back", "job", d.ID, "err", err)
		}
	} // what is left is told as interrupted at the next start
	return nil
}

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

// finishDeferred forgets a job.
func (f *Flows) finishDeferred(ctx context.Context, id int64) {
	if err := f.Deferrals.Finish(context.WithoutCancel(ctx), id); err != nil {
		f.Log.ErrorContext(ctx, "deferred run not forgotten", "job", id, "err", err)
	}
}

// endDeferred tells the operators of a job that came to nothing, and forgets it.
func (f *Flows) endDeferred(ctx context.Context, d *deferred, how string) {
	f.Report(ctx, fmt.Sprintf("The deferred run %d of <@%s> in <#%s> %s.", d.ID, d.Requester, d.Channel, how))
	f.finishDeferred(ctx, d.ID)
}

// giveUpDeferred tells where a job should have run, and the operators, that it does not
// run any more.
func (f *Flows) giveUpDeferred(ctx context.Context, j deferral.Job, fate deferral.Fate) {
	at := j.Due.UTC().Format("2 January 15:04 UTC")
	text := fmt.Sprintf("⌛ <@%s> had asked for a follow-up here at %s (id %d), but the bot was not there. It is too late now, so it was not run; ask again if it is still wanted.", j.Requester, at, j.ID)
	report := fmt.Sprintf("The deferred run %d of <@%s> in <#%s> was missed: it was due on %s.", j.ID, j.Requester, j.Channel, at)
	if fate == deferral.Interrupted {
		text = fmt.Sprintf("⚠️ The bot was restarted in the middle of the follow-up that <@%s> had asked for (id %d). Please look how far it came before asking again.", j.Requester, j.ID)
		report = fmt.Sprintf("The deferred run %d of <@%s> in <#%s> was interrupted by the end of the bot, and is not run again.", j.ID, j.Requester, j.Channel)
	}
	f.Log.WarnContext(ctx, "deferred run given up", "job", j.ID, "channel", j.Channel, "user", j.Requester, "reason", report)
	// The nonce is for the case that the bot is killed now, and tells it again.
	err := f.tellInTime(ctx, j, chat.Outgoing{Text: text, Nonce: fmt.Sprintf("defer.%d.%d", j.ID, fate)})
	if ctx.Err() != nil {
		return // the next start tells it
	}
	if err != nil {
		f.Log.WarnContext(ctx, "nobody could be told", "job", j.ID, "channel", j.Channel, "err", err)
	}
	f.Report(ctx, report)
	f.finishDeferred(ctx, j.ID)
}

// tellInTime tells something where a job should have run. A job is often missed because
// Discord is out of order, so this is tried for a while.
func (f *Flows) tellInTime(ctx context.Context, j deferral.Job, m chat.Outgoing) error {
	for began := time.Now(); ; {
		err := f.tell(ctx, j, m)
		if !isPassing(err) || time.Since(began) > deferral.Patience {
			return err
		}
		if !sleep.For(ctx, time.Minute) {
			return ctx.Err()
		}
	}
}

// tell tells something where a job should have run, if its requester is still served
// there.
func (f *Flows) tell(ctx context.Context, j deferral.Job, m chat.Outgoing) error {
	d := &deferred{Job: j, origin: actions.Origin{Place: chat.Place{Guild: j.Guild, Channel: j.Channel}, Requester: j.Requester, Prompter: j.Prompter}}
	if err := f.findTarget(ctx, d); err != nil {
		return err
	}
	if err := f.isStillServed(ctx, d); err != nil {
		return err
	}
	_, err := f.Server.Send(ctx, j.Channel, m)
	return err
}
