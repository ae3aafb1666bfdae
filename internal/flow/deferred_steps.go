package flow

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/status"
	"discoclaw/internal/turn/gather"
)

// A deferredStep is a check or a preparation before the turn of a deferred run. An error ends the run.
type deferredStep struct {
	name string
	do   func(*deferredSource, context.Context, *deferred) error
}

// deferredSteps returns the steps in their order, which matters: nothing is read for a place in which the bot does
// not answer, and no model is called for a user who could not ask there themselves.
func deferredSteps() []deferredStep {
	return []deferredStep{
		{"switch", (*deferredSource).isStillOn},
		{"channel", (*deferredSource).findTarget},
		{"channel list", (*deferredSource).isStillServed},
		{"requester", (*deferredSource).mayStillWrite},
		{"context", (*deferredSource).inform},
	}
}

// prepare runs the steps of a deferred run. They run again whenever it is resumed, so that nobody keeps a right by
// it that they have lost meanwhile.
func (s *deferredSource) prepare(ctx context.Context, d *deferred) error {
	for _, step := range deferredSteps() {
		if err := step.do(s, ctx, d); err != nil {
			return s.halt(ctx, d, step.name, err)
		}
	}
	return nil
}

// halt ends a deferred run at one of its steps, and returns why. It reports this to the operators, unless the run
// will be retried or the bot goes down.
func (s *deferredSource) halt(ctx context.Context, d *deferred, step string, err error) error {
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case !pipeline.IsPassing(err):
		s.log.WarnContext(ctx, "cannot run a deferred run", "job", d.ID, "user", d.Requester, "reason", step, "err", err)
		how := "was not run"
		if _, answered, _ := s.pipe.Answered(ctx, d.turn); answered {
			how = "was begun, but does not go on"
		}
		s.report(ctx, status.Runs, fmt.Sprintf("%s %s: %v.", naming(d.Job), how, err))
	}
	return err
}

// isStillOn checks that deferred runs are switched on. The operator may have switched them off after this one was
// scheduled.
func (s *deferredSource) isStillOn(context.Context, *deferred) error {
	if sw := s.flags["defer"]; !sw.On {
		return fmt.Errorf("%s; %s", sw.Why, sw.Remedy)
	}
	return nil
}

// findTarget looks up the channel, which may have been deleted. It does so by ID, since another channel may have
// the name by now.
func (s *deferredSource) findTarget(ctx context.Context, d *deferred) (err error) {
	d.origin.Place, err = s.target(ctx, d.Guild, d.Channel, d.Name)
	return err
}

// isStillServed checks with the access policy that the bot still answers in the channel, and to the people who
// asked for the run. Both may have changed.
func (s *deferredSource) isStillServed(_ context.Context, d *deferred) error {
	return s.stillServed(access.ByDefer, d.origin)
}

// mayStillWrite checks that the people who asked for the run may write in the channel themselves.
func (s *deferredSource) mayStillWrite(ctx context.Context, d *deferred) error {
	return s.mayWrite(ctx, d.origin)
}

// inform collects what the prompt needs. If the workspace cannot be read, the run goes on without it: that is
// better than no run.
func (s *deferredSource) inform(ctx context.Context, d *deferred) (err error) {
	gate := s.gate(d.origin)
	d.setting, err = s.gather.Gather(ctx, gather.Request{
		Origin: d.origin, By: d.origin.Requester, Gate: gate, Outside: d.read, Handles: &chat.Handles{}, Text: d.Prompt, Talk: true,
	})
	if err != nil {
		s.log.WarnContext(ctx, "deferred run goes without its context", "job", d.ID, "err", err)
	}
	return context.Cause(ctx)
}

// remark returns the remark that a run is late, or an empty text if it is not.
func (d *deferred) remark() string {
	if d.late == 0 {
		return ""
	}
	return "-# Late: this was due " + chat.FromNow(d.Due) + "."
}

// worthAWord is the delay from which on a run says that it is late. The remark has whole minutes.
const worthAWord = time.Minute

func lateness(late time.Duration) time.Duration {
	if late < worthAWord {
		return 0
	}
	return late.Truncate(time.Minute)
}
