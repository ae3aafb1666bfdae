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
		event: fmt.Sprintf("defer-%d", j.ID),
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
}

// Deferred is told of a job whose time has come, or is over. It returns at once.
func (f *Flows) Deferred(ctx context.Context, j deferral.Job, fate deferral.Fate) {
	if fate == deferral.Missed {
		// What cannot begin any more is told at the next start.
		f.aside.Go("deferred run that is missed", func(ctx context.Context) {
			if f.tellMissed(ctx, j) {
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
	if errors.Is(context.Cause(ctx), turn.ErrRestarting) {
		return false // it waits for the next start
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	ours, err := f.Deferrals.Claim(ctx, d.ID, f.Inbox.Entry(inbox.Event{
		ID: d.event, Kind: inbox.Deferred, Place: d.origin.Place, Turn: d.origin.Turn, Body: body(d.Job),
	}))
	switch {
	case err != nil: // it is handed out again
		f.Log.ErrorContext(ctx, "deferred run is put off", "job", d.ID, "channel", d.Channel, "err", err)
	case !ours:
		f.Log.InfoContext(ctx, "deferred run was cancelled", "job", d.ID, "channel", d.Channel)
	}
	return ours
}

// takeUpDeferred takes up a run that was claimed. What could not be finished in the time in
// which it could have begun, or in three tries, is given up.
func (f *Flows) takeUpDeferred(_ context.Context, e inbox.Event) error {
	var j deferral.Job
	if err := json.Unmarshal(e.Body, &j); err != nil {
		return err
	}
	giveUp := func(tell func(ctx context.Context) bool) {
		f.aside.Go("deferred run that is given up", func(ctx context.Context) {
			if tell(ctx) {
				f.settle(ctx, inbox.Failed, e.ID)
			}
		})
	}
	switch late := time.Since(j.Due) > deferral.Patience; {
	case late && !e.Begun:
		giveUp(func(ctx context.Context) bool { return f.tellMissed(ctx, j) })
		return nil
	case late:
		giveUp(func(ctx context.Context) bool { return f.tellUnfinished(ctx, j, "it is too late for that now") })
		return nil
	case wasBegunOften(e):
		giveUp(func(ctx context.Context) bool { return f.tellUnfinished(ctx, j, "the bot ended in the middle of it") })
		return nil
	}
	if e.Begun {
		f.again.add(e.Turn)
	}
	d := f.deferredRun(j, e.Turn, e.Place.Message)
	f.convo.Add(f.deferredWork(d, func(ctx context.Context) { f.have(ctx, f.deferredOccasion(d)) }))
	return nil
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

// prepare takes the steps of a deferred run up to its turn. They are taken again whenever it
// is taken up, so that nobody has a right by it that they have lost meanwhile.
func (f *Flows) prepare(ctx context.Context, d *deferred) error {
	d.late = lateness(time.Since(d.Due))
	for _, step := range deferredSteps {
		if err := step.do(f, ctx, d); err != nil {
			return f.halt(ctx, d, step.name, err)
		}
	}
	return nil
}

// halt ends a deferred run at one of its steps, and returns why. Who should know of that is
// told, unless it goes on later.
func (f *Flows) halt(ctx context.Context, d *deferred, step string, err error) error {
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case !isPassing(err):
		f.Log.WarnContext(ctx, "deferred run not run", "job", d.ID, "channel", d.Channel, "user", d.Requester, "reason", step, "err", err)
		how := "was not run"
		if f.again.has(d.origin.Turn) {
			how = "was begun, but does not go on"
		}
		f.Report(ctx, fmt.Sprintf("%s %s: %v.", naming(d.Job), how, err))
	}
	return err
}

// naming is how operators are told which run something is about.
func naming(j deferral.Job) string {
	return fmt.Sprintf("The deferred run %d of <@%s> in <#%s>", j.ID, j.Requester, j.Channel)
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
		Venue:  remarked(f.Server.Silent(d.origin.Place, d.origin.Turn), d.remark()),
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
