package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
)

// A deferredStep is one on the way of a deferred run to its turn. An error ends it.
type deferredStep struct {
	name string
	do   func(*deferredSource, context.Context, *deferred) error
}

// deferredSteps are taken in this order, which is part of the rules: nothing is read
// for a place in which the bot does not answer, and nothing is asked of a model for
// somebody who could not ask there themselves.
func deferredSteps() []deferredStep {
	return []deferredStep{
		{"switch", (*deferredSource).isStillOn},
		{"channel", (*deferredSource).findTarget},
		{"channel list", (*deferredSource).isStillServed},
		{"requester", (*deferredSource).mayStillWrite},
		{"context", (*deferredSource).gather},
	}
}

// prepare takes the steps of a deferred run up to its turn. They are taken again whenever it
// is resumed, so that nobody has a right by it that they have lost meanwhile.
func (s *deferredSource) prepare(ctx context.Context, d *deferred) error {
	for _, step := range deferredSteps() {
		if err := step.do(s, ctx, d); err != nil {
			return s.halt(ctx, d, step.name, err)
		}
	}
	return nil
}

// halt ends a deferred run at one of its steps, and returns why. The operators are told, unless
// it goes on later.
func (s *deferredSource) halt(ctx context.Context, d *deferred, step string, err error) error {
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case !isPassing(err):
		s.Log.WarnContext(ctx, "cannot run a deferred run", "job", d.ID, "user", d.Requester, "reason", step, "err", err)
		how := "was not run"
		if _, answered, _ := s.Answered(ctx, d.turn); answered {
			how = "was begun, but does not go on"
		}
		s.Report(ctx, fmt.Sprintf("%s %s: %v.", naming(d.Job), how, err))
	}
	return err
}

// isStillOn: what was scheduled before the operator switched deferred runs off does not
// run any more.
func (s *deferredSource) isStillOn(context.Context, *deferred) error {
	if sw := s.Flags["defer"]; !sw.On {
		return fmt.Errorf("%s; %s", sw.Why, sw.Remedy)
	}
	return nil
}

// findTarget finds the channel, which may be gone, by its ID: somebody may have given
// its name to another one since.
func (s *deferredSource) findTarget(ctx context.Context, d *deferred) error {
	ch, err := s.Server.ChannelByID(ctx, d.Channel)
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
func (s *deferredSource) isStillServed(_ context.Context, d *deferred) error {
	for _, who := range d.origin.People() {
		if why := s.Access.Admit(access.ByDefer, chat.User{ID: who}, d.origin.Place); why != access.Admitted {
			return fmt.Errorf("who asked for it, or the channel, is not served any more (%s)", why)
		}
	}
	return nil
}

// mayStillWrite makes sure that who asked for it could say there what it will say.
func (s *deferredSource) mayStillWrite(ctx context.Context, d *deferred) error {
	for _, who := range d.origin.People() {
		missing, err := s.Server.MissingPermissions(ctx, d.Guild, who, d.Channel, []chat.Permission{chat.ViewChannel, chat.SendMessages})
		if err != nil {
			return fmt.Errorf("look up the rights of who asked for it: %w", err)
		}
		if len(missing) > 0 {
			return fmt.Errorf("who asked for it lacks “%s” there by now", missing[0])
		}
	}
	return nil
}

// gather finds out what the prompt is made of. Without what people keep for
// the bot, the run knows less; without the run, what somebody waits for is lost.
func (s *deferredSource) gather(ctx context.Context, d *deferred) (err error) {
	gate := s.Registry.Gate(s.Flags, Narrowings(d.origin)...)
	if d.setting, err = s.setting(ctx, d.origin.Place, d.origin.Requester, gate, nil); err != nil {
		s.Log.WarnContext(ctx, "deferred run goes without its context", "job", d.ID, "err", err)
	}
	return context.Cause(ctx)
}

// remark tells readers that they should have heard earlier.
func (d *deferred) remark() string {
	if d.late == 0 {
		return ""
	}
	return fmt.Sprintf("-# Late by %d min: this was due at %s.", int(d.late.Minutes()), d.Due.UTC().Format("15:04 UTC"))
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
