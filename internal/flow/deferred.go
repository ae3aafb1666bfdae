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
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/status"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/prompt"
)

// deferredSource is the source of deferred runs. A job is claimed when it reaches the head of its channel's queue:
// until then it is stored by the deferral engine, and from then on by the inbox.
type deferredSource struct {
	*deps
	in     *pipeline.Entry[deferral.Job]
	engine *deferral.Engine
}

func openDeferred(d *deps, o Options) *deferredSource {
	s := &deferredSource{deps: d, engine: o.Deferrals}
	s.in = pipeline.Open(d.pipe, pipeline.Source[deferral.Job]{
		Kind:    inbox.Deferred,
		Way:     func(pipeline.Event[deferral.Job]) *access.Way { return access.ByDefer },
		Key:     s.key,
		Claim:   s.claim,
		Expired: s.expired,
		Notices: droppedRun,
		TellDropped: func(ctx context.Context, e pipeline.Event[deferral.Job], text string) error {
			return s.tell(ctx, e.Body, text)
		},
		Turn: s.turn,
		Over: s.over,
	})
	return s
}

func (s *deferredSource) key(j deferral.Job) pipeline.Key {
	by := s.users.remember(chat.User{ID: j.Requester})
	return pipeline.Key{ID: deferredEvent(j.ID), Place: chat.Place{Guild: j.Guild, Channel: j.Channel}, By: by}
}

// deferredEvent returns the event ID of a job.
func deferredEvent(id int64) inbox.EventID { return inbox.EventID(fmt.Sprintf("defer-%d", id)) }

// Due handles a job that is due, or that was missed. It does not block.
func (s *deferredSource) Due(ctx context.Context, j deferral.Job, fate deferral.Status) {
	if fate == deferral.Missed {
		s.missed(ctx, j)
		return
	}
	s.log.InfoContext(ctx, "deferred run is due", "job", j.ID, "channel", j.Channel, "user", j.Requester)
	s.in.Tell(ctx, j, pipeline.Live)
}

// missed reports a job that was missed before it was claimed, and then deletes it. Until the channel has been
// told, it retries; if the bot goes down first, the next start does.
func (s *deferredSource) missed(ctx context.Context, j deferral.Job) {
	notices := droppedRun(pipeline.Event[deferral.Job]{Body: j}, notThere)
	s.pipe.Go("missed deferred run", func(ctx context.Context) {
		s.log.WarnContext(ctx, "deferred run missed", "job", j.ID, "channel", j.Channel, "user", j.Requester)
		s.report(ctx, status.Runs, notices.Report)
		err := s.tell(ctx, j, notices.Text)
		for pipeline.IsPassing(err) && s.pipe.Pause(ctx, pipeline.RetryDelay) {
			err = s.tell(ctx, j, notices.Text)
		}
		if pipeline.IsPassing(err) || ctx.Err() != nil {
			return
		}
		if err != nil {
			s.log.WarnContext(ctx, "cannot tell that a deferred run was missed", "job", j.ID, "channel", j.Channel, "err", err)
		}
		if err := s.engine.Finish(context.WithoutCancel(ctx), j.ID); err != nil {
			s.log.ErrorContext(ctx, "cannot forget a deferred run", "job", j.ID, "err", err)
		}
	})
}

// claim moves a job from the deferral engine into the inbox, in one transaction.
func (s *deferredSource) claim(ctx context.Context, e pipeline.Event[deferral.Job], row inbox.Event) bool {
	ctx, cancel := pipeline.Writing(ctx)
	defer cancel()
	ours, err := s.engine.Claim(ctx, e.Body.ID, s.inbox.Entry(row))
	switch {
	case err != nil: // the engine calls Due again
		s.log.ErrorContext(ctx, "cannot claim a deferred run", "job", e.Body.ID, "err", err)
	case !ours:
		s.log.InfoContext(ctx, "deferred run was cancelled", "job", e.Body.ID)
	}
	return ours
}

// Reasons why a deferred run is dropped.
const (
	notThere    pipeline.Reason = "I was offline then"
	neverBegan  pipeline.Reason = "something kept it from beginning"
	tooLateNow  pipeline.Reason = "it is too late for that now"
	endedInside pipeline.Reason = "I was shut down in the middle of it each time"
)

// expired drops a run that was not finished within deferral.MaxLate, the time in which it may begin, or that has
// used up its attempts.
func (s *deferredSource) expired(_ context.Context, e pipeline.Event[deferral.Job], answered bool) (pipeline.Reason, error) {
	late := s.now().Sub(e.Body.Due) > deferral.MaxLate
	if late && !e.Begun {
		return notThere, nil
	}
	return givenUp(e, late, answered), nil
}

// givenUp is why a run is dropped that is too late, or has used up its attempts; it is empty for others.
func givenUp[B any](e pipeline.Event[B], late, answered bool) pipeline.Reason {
	switch {
	case late && !answered && e.Attempts == 0:
		return neverBegan
	case late:
		return tooLateNow
	case e.Attempts >= pipeline.MaxAttempts:
		return endedInside
	}
	return ""
}

// droppedRun returns the notices about a dropped run.
func droppedRun(e pipeline.Event[deferral.Job], why pipeline.Reason) pipeline.DropNotices {
	j := e.Body
	due := chat.Clock(j.Due)
	if why == notThere || why == neverBegan {
		return pipeline.DropNotices{
			Text:   fmt.Sprintf("⌛ I did not come back to what <@%s> wanted here at %s: %s. Ask again if it is still wanted.", j.Requester, due, why),
			Report: fmt.Sprintf("%s was missed, because %s: it was due at %s.", naming(j), why, due),
		}
	}
	return pipeline.DropNotices{
		Text:   fmt.Sprintf("⚠️ I began what <@%s> wanted here at %s, but did not finish: %s. Please check how far I got before asking again.", j.Requester, due, why),
		Report: fmt.Sprintf("%s was begun, but not finished: %s. It was due at %s.", naming(j), why, due),
	}
}

// naming returns how notices for operators refer to a run.
func naming(j deferral.Job) string {
	return fmt.Sprintf("The follow-up that <@%s> wanted in <#%s>", j.Requester, j.Channel)
}

// tell posts a notice in the channel of a job, if its requester is still served there. It is idempotent.
func (s *deferredSource) tell(ctx context.Context, j deferral.Job, text string) error {
	d := s.deferred(j, "")
	if err := s.findTarget(ctx, d); err != nil {
		return err
	}
	if err := s.isStillServed(ctx, d); err != nil {
		return err
	}
	return s.pipe.Reply(ctx, chat.TurnID(deferredEvent(j.ID)), "end", d.origin.Place, text)
}

// A deferred is a job with what is gathered for its turn.
type deferred struct {
	deferral.Job
	turn    chat.TurnID
	late    time.Duration // 0 if it is too short to mention
	origin  actions.Origin
	by      chat.User
	setting prompt.Setting
	read    *chat.Reading
}

func (s *deferredSource) deferred(j deferral.Job, t chat.TurnID) *deferred {
	read := new(chat.Reading)
	read.Add(j.Outside)
	return &deferred{
		Job:  j,
		turn: t,
		late: lateness(s.now().Sub(j.Due)),
		origin: actions.Origin{
			Flow:      access.ByDefer.Flow,
			Place:     chat.Place{Guild: j.Guild, Channel: j.Channel},
			Requester: j.Requester,
			Prompters: j.Prompters,
			Turn:      t,
		},
		by:   s.users.remember(chat.User{ID: j.Requester}),
		read: read,
	}
}

func (s *deferredSource) turn(ctx context.Context, r pipeline.Run[deferral.Job]) (chat.Message, turn.Turn, error) {
	d := s.deferred(r.Last().Body, r.Turn)
	if err := s.prepare(ctx, d); err != nil {
		return chat.Message{}, turn.Turn{}, err
	}
	return chat.Message{Place: d.origin.Place, Author: d.by, Text: d.Prompt}, turn.Turn{
		Origin: d.origin,
		Gate:   d.setting.Gate, Dialects: d.setting.Dialects,
		Prompt: prompt.Deferred{
			Setting: d.setting, Channel: d.Channel, At: d.Due, Late: d.late,
			By: d.by, Asked: d.Created.In(d.setting.Now.Location()), AskedIn: d.AskedIn, Words: d.Prompt,
		},
		Venue:  s.server.Venue(reply.Options{Place: d.origin.Place, Turn: r.Turn, For: d.origin.Requester}),
		Remark: d.remark(),
		Model:  s.model(), Role: string(roles.Chat), Tools: r.Tools(
			s.tools), FollowUps: s.followUps, Handles: d.setting.Handles, Outside: d.read,
		Wish: actions.Later(d.Prompt, d.Words, d.Job.Outside), AllowEmpty: true, Background: true,
	}, nil
}

// stoppedTimeout is the timeout for posting that a run was stopped.
const stoppedTimeout = 10 * time.Second

// over adds a run to the history. If it was stopped before it posted anything, over says so in the channel, since
// its requester would wait in vain.
func (s *deferredSource) over(ctx context.Context, r pipeline.Run[deferral.Job], report turn.Report) {
	j := r.Last().Body
	s.gather.Said(r.Last().Place, report.Origin.Requester, report.Result)
	if !errors.Is(report.Err, turn.ErrStopped) || len(report.Receipts) > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stoppedTimeout)
	defer cancel()
	text := fmt.Sprintf("*(The follow-up that <@%s> wanted here at %s was %s.)*", j.Requester, chat.Clock(j.Due), turn.StoppedText(report.Err))
	if _, err := s.server.Send(ctx, j.Channel, chat.Outgoing{Text: text}); err != nil {
		s.log.WarnContext(ctx, "cannot tell that a deferred run was stopped", "job", j.ID, "err", err)
	}
}

// PutOff gives access to the deferred runs that were claimed and requeued.
type PutOff struct{ Inbox *inbox.Inbox }

// PutOffRuns returns the jobs of all of them.
func (p PutOff) PutOffRuns(ctx context.Context) ([]deferral.Job, error) {
	events, err := p.Inbox.Waiting(ctx, inbox.Deferred)
	if err != nil {
		return nil, err
	}
	var jobs []deferral.Job
	for _, e := range events {
		var j deferral.Job
		if err := json.Unmarshal(e.Body, &j); err != nil {
			return nil, fmt.Errorf("read %s: %w", e.ID, err)
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// CallOffRun cancels one of them, and reports whether it could: the run may have been resumed meanwhile.
func (p PutOff) CallOffRun(ctx context.Context, id int64) (bool, error) {
	return p.Inbox.Cancel(ctx, deferredEvent(id))
}
