package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/llm"
	"discoclaw/internal/status"
	"discoclaw/internal/turn"
)

// run runs a turn, or the source's Do. It recovers from a panic, so that a fault in one turn does not end the others.
func (in *Entry[E]) run(ctx context.Context, r Run[E]) {
	ctx = in.logging(ctx, r)
	defer func() {
		if v := recover(); v != nil {
			at := r.Last().Place
			in.p.o.Log.ErrorContext(ctx, "turn panicked", "message", at.Message, "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			in.p.o.Report(ctx, status.Faults, fmt.Sprintf("⚠️ There is a fault inside the bot, which ended a turn in <#%s>; its log has the details.", at.Channel))
			in.p.settle(ctx, inbox.Failed, r.Turn, turn.Report{}, r.ids()...)
			in.ends(r, lifecycle.Error)
		}
	}()
	if IsGoingDown(ctx) || !in.isOurs(ctx, r) {
		return // the next start resumes it, or there is nothing to run any more
	}
	if last := r.Last(); in.source.Limited && last.Arrival != Resumed && !last.By.Bot {
		if notice, ok := in.p.cooldown.allow(last.By.ID, in.p.o.UserTurns); !ok {
			in.settleDropped(r, TooManyTurns, DropNotices{Text: notice})
			return
		}
	}
	if in.p.unposted.has(r.Turn) {
		ctx = in.p.o.Discord.Sparing(ctx)
	}
	r.start = &start{pipeline: in.p, turn: r.Turn, events: r.ids()}
	if r.Last().Arrival == Resumed || in.source.Do != nil {
		// The attempt is recorded before anything else happens: a resumed turn may be what crashed the process,
		// or may have been cancelled, and a command must not run twice.
		if ours, err := r.start.write(ctx); err != nil {
			in.p.retryLater(ctx, false, r.ids()...)
			return
		} else if !ours {
			in.p.o.Log.InfoContext(ctx, "work was cancelled", "kind", in.source.Kind, "event", r.Events[0].ID)
			in.ends(r, lifecycle.Nothing)
			return
		}
	}
	if in.source.Do != nil {
		in.do(ctx, r)
		return
	}
	in.runTurns(ctx, &r)
}

// logging returns a context for the log lines of a turn before its origin is known.
func (in *Entry[E]) logging(ctx context.Context, r Run[E]) context.Context {
	o := actions.Origin{Turn: r.Turn, Place: r.Last().Place}
	if in.source.Way != nil {
		o.Flow = in.source.Way(r.Last()).Flow
	}
	return turn.WithLog(ctx, o)
}

// isOurs calls the source's Claim or Start before the first attempt, and reports whether the work may begin.
func (in *Entry[E]) isOurs(ctx context.Context, r Run[E]) bool {
	e := r.Last()
	switch {
	case e.Arrival == Resumed:
		return true
	case in.source.Claim != nil:
		return in.source.Claim(ctx, e, in.Row(e))
	}
	return in.source.Start == nil || in.source.Start(ctx, e)
}

// runTurns runs the turn of a run, and another one each time it is steered. The run is then the latest one.
func (in *Entry[E]) runTurns(ctx context.Context, r *Run[E]) {
	w, over := in.window(*r)
	defer over()
	person := r.Last().By.ID
	var before turn.Report
	for steered := true; steered; {
		within, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		more := w.next(func() bool {
			if ctx.Err() != nil || !in.p.cooldown.spend(person, in.p.o.UserTurns) {
				return false
			}
			cancel(turn.ErrSteered)
			return true
		})
		if len(more) > 0 && !in.join(ctx, r, before, more) {
			return
		}
		before, steered = in.runTurn(within, *r, w)
	}
}

// runTurn runs a turn and settles or requeues its events. If the turn was steered, it returns true, and leaves the events.
func (in *Entry[E]) runTurn(ctx context.Context, r Run[E], w *window[E]) (report turn.Report, steered bool) {
	defer in.p.stops.over(r.Work)
	ctx, requests := in.p.o.Discord.Counting(ctx)
	about, t, err := in.source.Turn(ctx, r)
	in.begins(r)
	report = turn.Report{ID: r.Turn, Message: about, Batched: r.batched(), By: r.Last().By, Began: in.p.o.Now()}
	began := err == nil
	if began {
		ctx = turn.WithLog(ctx, t.Origin)
		t.Prompt, t.Commit = afterStart{t.Prompt, r.start}, w.commit
		in.p.execute(ctx, t, &report, requests)
		if in.source.Ending != nil && report.Err == nil {
			report.Err = in.source.Ending(ctx, r, report)
		}
		err = report.Err
	} else {
		report.Err = errors.Join(turn.ErrNoReply, err)
	}
	if errors.Is(report.Err, turn.ErrSteered) {
		report.Requeued = true
		return report, true
	}
	if errors.Is(report.Err, turn.ErrNoReply) {
		in.p.o.Log.WarnContext(ctx, "cannot open a reply", "message", r.Last().Place.Message, "err", err)
	}
	if !began {
		report.ID = "" // there was no turn to report
	}
	in.conclude(ctx, r, &report)
	if !report.GoesOn {
		in.ended(r, report)
	} else if !report.Requeued {
		in.source.Next(r)
	}
	in.p.reportUnseen(ctx, report)
	if in.source.Over != nil {
		in.source.Over(ctx, r, report)
	}
	if began {
		in.p.stats.over(report)
		in.p.o.Over(ctx, report)
	}
	return report, false
}

// execute runs a turn and adds its result to the report.
func (p *Pipeline) execute(ctx context.Context, t turn.Turn, report *turn.Report, requests func() int) {
	at, began := t.Origin.Place, time.Now()
	report.Origin, report.Gate = t.Origin, t.Gate
	report.Result, report.Err = p.o.Runner.Run(ctx, t)
	report.Took, report.Requests = time.Since(began), requests()
	p.o.Log.InfoContext(ctx, "turn over", "guild", at.Guild, "message", at.Message, "user", report.By.ID,
		"took", report.Took.Round(time.Millisecond), "asked", len(report.Rounds), "actions", len(report.Outcomes()), "requests", report.Requests, "ok", report.Err == nil)
}

// do runs the source's Do and delivers the answer. The answer is recorded before it is delivered, so that a
// process that resumes the run delivers it without running it again.
func (in *Entry[E]) do(ctx context.Context, r Run[E]) {
	began := time.Now()
	text, known, err := in.p.Answered(ctx, r.Turn)
	report := turn.Report{ID: r.Turn, By: r.Last().By, Began: in.p.o.Now()}
	if err == nil && !known {
		var done Done
		done, err = in.source.Do(ctx, r)
		text, report.Command, report.Message = done.Reply, done.Command, done.Message
		if err != nil {
			in.p.o.Log.ErrorContext(ctx, "command failed", "name", done.Command, "message", r.Last().Place.Message, "err", err)
		}
		if ctx.Err() == nil { // a command that was interrupted has no answer
			if err := in.p.answer(ctx, r.Turn, text); err != nil {
				in.p.o.Log.ErrorContext(ctx, "cannot record the answer to a command", "err", err)
			}
		}
	}
	report.Err = in.say(ctx, r, text)
	in.conclude(ctx, r, &report)
	if report.Command != "" {
		report.Took, report.Err = time.Since(began), errors.Join(err, report.Err)
		in.p.stats.over(report)
		in.p.o.Over(ctx, report)
	}
}

// say delivers the answer of Do.
func (in *Entry[E]) say(ctx context.Context, r Run[E], text string) (err error) {
	switch {
	case ctx.Err() != nil:
		return turn.ErrGoingDown
	case in.source.Reply != nil:
		err = in.source.Reply(ctx, r, text)
	default:
		err = in.p.Reply(ctx, r.Turn, "answer", r.Last().Place, text)
	}
	if err != nil && ctx.Err() != nil {
		return turn.ErrGoingDown
	}
	return err
}

// errCancelled means that a turn does not begin because its events were cancelled.
var errCancelled = errors.New("the work was cancelled")

// afterStart is a prompt that records the start of its turn before the model is called.
type afterStart struct {
	turn.Prompt
	start *start
}

func (a afterStart) First(ctx context.Context) (llm.Request, error) {
	if ours, err := a.start.write(ctx); err != nil {
		return llm.Request{}, err
	} else if !ours {
		return llm.Request{}, turn.ErrStopped
	}
	return a.Prompt.First(ctx)
}

// conclude settles or requeues events by how their turn, or command, ended. Unfinished ones are requeued: for the
// next start if the bot goes down, and otherwise for a retry, if the error is temporary, such as an outage of
// Discord or a full disk. A turn that could not be posted often enough is dropped.
func (in *Entry[E]) conclude(ctx context.Context, r Run[E], report *turn.Report) {
	switch err := report.Err; {
	case isOver(err):
		in.p.settle(ctx, inbox.Answered, r.Turn, *report, r.ids()...)
	case isCutOff(ctx, err):
		report.Requeued = true
		in.p.requeue(ctx, false, r.ids()...)
	case isUnanswered(err):
		report.Requeued = true // or dropped, with notices in place of this report
		counts, posted := in.p.unposted.again(r.Turn, in.p.o.Discord.Succeeded)
		if !r.isUnpostable(counts) || !in.dropUnposted(ctx, r, posted) {
			in.p.retryLater(ctx, counts, r.ids()...)
		}
	case IsPassing(err):
		report.Requeued = true
		in.p.retryLater(ctx, false, r.ids()...)
	default:
		in.p.settle(ctx, inbox.Failed, r.Turn, *report, r.ids()...)
	}
}
