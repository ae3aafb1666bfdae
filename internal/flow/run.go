package flow

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/llm"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// run runs a turn, or the source's Do. It recovers from a panic, so that a fault in one turn does not end the others.
func (in *entry[E]) run(ctx context.Context, r Run[E]) {
	ctx = in.logging(ctx, r)
	defer func() {
		if v := recover(); v != nil {
			at := r.Last().Place
			in.Log.ErrorContext(ctx, "turn panicked", "message", at.Message, "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			in.Report(ctx, status.Faults, fmt.Sprintf("⚠️ There is a fault inside the bot, which ended a turn in <#%s>; its log has the details.", at.Channel))
			in.settle(ctx, inbox.Failed, r.Turn, turn.Report{}, r.ids()...)
			in.ends(r, lifecycle.Error)
		}
	}()
	if isGoingDown(ctx) || !in.isOurs(ctx, r) {
		return // the next start resumes it, or there is nothing to run any more
	}
	if last := r.Last(); in.Limited && last.Arrival != Resumed && !last.By.Bot {
		if notice, ok := in.cooldown.allow(last.By.ID, in.UserTurns); !ok {
			in.bury(r, TooManyTurns, Farewell{Text: notice})
			return
		}
	}
	if in.unposted.has(r.Turn) {
		ctx = in.Sparing(ctx)
	}
	r.start = &start{pipeline: in.Pipeline, turn: r.Turn, events: r.ids()}
	if r.Last().Arrival == Resumed || in.Do != nil {
		// The attempt is recorded before anything else happens: a resumed turn may be what crashed the process,
		// or may have been cancelled, and a command must not run twice.
		if ours, err := r.start.write(ctx); err != nil {
			in.retryLater(ctx, false, r.ids()...)
			return
		} else if !ours {
			in.Log.InfoContext(ctx, "work was cancelled", "kind", in.Kind, "event", r.Events[0].ID)
			in.ends(r, lifecycle.Nothing)
			return
		}
	}
	if in.Do != nil {
		in.do(ctx, r)
		return
	}
	in.runTurns(ctx, &r)
}

// logging returns a context for the log lines of a turn before its origin is known.
func (in *entry[E]) logging(ctx context.Context, r Run[E]) context.Context {
	o := actions.Origin{Turn: r.Turn, Place: r.Last().Place}
	if in.Way != nil {
		o.Flow = in.Way(r.Last()).Flow
	}
	return turn.WithLog(ctx, o)
}

// isOurs calls the source's Claim or Start before the first attempt, and reports whether the work may begin.
func (in *entry[E]) isOurs(ctx context.Context, r Run[E]) bool {
	e := r.Last()
	switch {
	case e.Arrival == Resumed:
		return true
	case in.Claim != nil:
		return in.Claim(ctx, e, in.row(e))
	}
	return in.Start == nil || in.Start(ctx, e)
}

// runTurn runs a turn and settles or requeues its events. If the turn was steered, it returns true, and leaves the events.
func (in *entry[E]) runTurn(ctx context.Context, r Run[E], w *window[E]) (report turn.Report, steered bool) {
	defer in.stops.over(r.Work)
	ctx, requests := in.Counting(ctx)
	about, t, err := in.Turn(ctx, r)
	in.begins(r)
	report = turn.Report{ID: r.Turn, Message: about, Batched: r.batched(), By: r.Last().By, Began: in.Now()}
	began := err == nil
	if began {
		ctx = turn.WithLog(ctx, t.Origin)
		t.Prompt, t.Commit = afterStart{t.Prompt, r.start}, w.commit
		in.execute(ctx, t, &report, requests)
		if in.Ending != nil && report.Err == nil {
			report.Err = in.Ending(ctx, r, report)
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
		in.Log.WarnContext(ctx, "cannot open a reply", "message", r.Last().Place.Message, "err", err)
	}
	if !began {
		report.ID = "" // there was no turn to report
	}
	in.conclude(ctx, r, &report)
	if !report.GoesOn {
		in.ended(r, report)
	} else if !report.Requeued {
		in.Next(r)
	}
	in.reportUnseen(ctx, report)
	if in.Over != nil {
		in.Over(ctx, r, report)
	}
	if began {
		in.stats.over(report)
		in.PipelineOptions.Over(ctx, report)
	}
	return report, false
}

// execute runs a turn and adds its result to the report.
func (p *Pipeline) execute(ctx context.Context, t turn.Turn, report *turn.Report, requests func() int) {
	at, began := t.Origin.Place, time.Now()
	report.Origin, report.Gate = t.Origin, t.Gate
	report.Result, report.Err = p.Runner.Run(ctx, t)
	report.Took, report.Requests = time.Since(began), requests()
	p.Log.InfoContext(ctx, "turn over", "guild", at.Guild, "message", at.Message, "user", report.By.ID,
		"took", report.Took.Round(time.Millisecond), "asked", len(report.Rounds), "actions", len(report.Outcomes()), "requests", report.Requests, "ok", report.Err == nil)
}

// do runs the source's Do and delivers the answer. The answer is recorded before it is delivered, so that a
// process that resumes the run delivers it without running it again.
func (in *entry[E]) do(ctx context.Context, r Run[E]) {
	began := time.Now()
	text, known, err := in.Answered(ctx, r.Turn)
	report := turn.Report{ID: r.Turn, By: r.Last().By, Began: in.Now()}
	if err == nil && !known {
		var done Done
		done, err = in.Do(ctx, r)
		text, report.Command, report.Message = done.Reply, done.Command, done.Message
		if err != nil {
			in.Log.ErrorContext(ctx, "command failed", "name", done.Command, "message", r.Last().Place.Message, "err", err)
		}
		if ctx.Err() == nil { // a command that was interrupted has no answer
			if err := in.Answer(ctx, r.Turn, text); err != nil {
				in.Log.ErrorContext(ctx, "cannot record the answer to a command", "err", err)
			}
		}
	}
	report.Err = in.say(ctx, r, text)
	in.conclude(ctx, r, &report)
	if report.Command != "" {
		report.Took, report.Err = time.Since(began), errors.Join(err, report.Err)
		in.stats.over(report)
		in.PipelineOptions.Over(ctx, report)
	}
}

// say delivers the answer of Do.
func (in *entry[E]) say(ctx context.Context, r Run[E], text string) (err error) {
	switch {
	case ctx.Err() != nil:
		return turn.ErrGoingDown
	case in.Source.Reply != nil:
		err = in.Source.Reply(ctx, r, text)
	default:
		err = in.PipelineOptions.Reply(ctx, r.Turn, "answer", r.Last().Place, text)
	}
	if err != nil && ctx.Err() != nil {
		return turn.ErrGoingDown
	}
	return err
}

// A start records once that a turn has begun: in the transaction that writes the row of its placeholder, or else
// before the model is called.
type start struct {
	pipeline *Pipeline
	turn     chat.TurnID
	events   []inbox.EventID

	mu      sync.Mutex
	written bool
}

// write records the start, unless that has been done. It returns false if the turn may not begin, because its
// events were cancelled.
func (s *start) write(ctx context.Context) (ours bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written {
		return true, nil
	}
	ctx, cancel := writing(ctx)
	defer cancel()
	err = s.pipeline.Inbox.Tx(ctx, func(tx *store.Tx) (err error) {
		ours, err = s.pipeline.Inbox.Begin(ctx, tx, s.turn, s.events...)
		return err
	})
	if err != nil {
		s.pipeline.Log.ErrorContext(ctx, "cannot begin a turn", "err", err)
		return false, &turn.NotWritten{Full: errors.Is(err, store.ErrFull), Cause: store.Plain(err)}
	}
	s.written = ours
	return ours, nil
}

// errCancelled means that a turn does not begin because its events were cancelled.
var errCancelled = errors.New("the work was cancelled")

// in records the start in the transaction that writes the row of the placeholder. If that fails, there is no reply,
// and the model is not called.
func (s *start) in(ctx context.Context, tx *store.Tx) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written {
		return nil
	}
	ours, err := s.pipeline.Inbox.Begin(ctx, tx, s.turn, s.events...)
	if err == nil && !ours {
		err = errCancelled
	}
	s.written = err == nil
	return err
}

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
func (in *entry[E]) conclude(ctx context.Context, r Run[E], report *turn.Report) {
	switch err := report.Err; {
	case isOver(err):
		in.settle(ctx, inbox.Answered, r.Turn, *report, r.ids()...)
	case isCutOff(ctx, err):
		report.Requeued = true
		in.requeue(ctx, false, r.ids()...)
	case isUnanswered(err):
		report.Requeued = true // or dropped, with a farewell in place of this report
		counts, posted := in.unposted.again(r.Turn, in.Succeeded)
		if !r.isUnpostable(counts) || !in.dropUnposted(ctx, r, posted) {
			in.retryLater(ctx, counts, r.ids()...)
		}
	case isPassing(err):
		report.Requeued = true
		in.retryLater(ctx, false, r.ids()...)
	default:
		in.settle(ctx, inbox.Failed, r.Turn, *report, r.ids()...)
	}
}

// settle settles events and deletes the recorded progress of their turn, in one transaction. If that cannot be
// written, it retries; if the bot goes down first, the resumed turn finds everything done, and settles then.
func (p *Pipeline) settle(ctx context.Context, s inbox.State, t chat.TurnID, report turn.Report, events ...inbox.EventID) {
	p.unposted.forget(t)
	if len(events) == 0 || p.trySettle(ctx, s, t, report, events...) == nil {
		return
	}
	p.bg.Go("settle", func(ctx context.Context) {
		for p.bg.Pause(ctx, retryDelay) {
			if p.trySettle(ctx, s, t, report, events...) == nil {
				return
			}
		}
	})
}

func (p *Pipeline) trySettle(ctx context.Context, s inbox.State, t chat.TurnID, report turn.Report, events ...inbox.EventID) error {
	ctx, cancel := writing(ctx)
	defer cancel()
	err := p.Inbox.Tx(ctx, func(tx *store.Tx) error {
		if err := p.Inbox.Settle(ctx, tx, s, events...); err != nil {
			return err
		}
		return p.Settled(ctx, tx, t, report)
	})
	if err != nil {
		p.Log.ErrorContext(ctx, "cannot settle events", "turn", t, "err", err)
	}
	return err
}

func (p *Pipeline) requeue(ctx context.Context, unposted bool, events ...inbox.EventID) bool {
	ctx, cancel := writing(ctx)
	defer cancel()
	requeue := p.Inbox.Requeue
	if unposted {
		requeue = p.Inbox.RequeueUnposted
	}
	err := requeue(ctx, events...)
	if err != nil {
		p.Log.ErrorContext(ctx, "cannot requeue events", "err", err)
	}
	return err == nil
}

// withdraw removes the queued events about a deleted message, and reports whether there were any.
func (p *Pipeline) withdraw(ctx context.Context, at chat.Place) bool {
	if !p.convo.Withdraw(at) {
		return false
	}
	p.Progress.Forget(at)
	ctx, cancel := writing(ctx)
	defer cancel()
	if err := p.Inbox.Withdraw(ctx, at); err != nil {
		p.Log.ErrorContext(ctx, "cannot withdraw an event", "message", at.Message, "channel", at.Channel, "err", err)
	}
	return true
}
