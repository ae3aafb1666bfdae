package flow

import (
	"context"
	"errors"
	"log/slog"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// Approved executes actions that a person has approved. It applies the rules at the time of execution: a category
// that was switched off since, or a right that was lost, prevents an action.
type Approved struct {
	Registry   *actions.Registry
	Flags      actions.CategoryFlags
	Dispatcher *actions.Dispatcher
	Access     access.Policy
	Members    access.Members
	Log        *slog.Logger
}

// May returns why the requester of the origin may not do one of the requests, or nil.
func (a Approved) May(ctx context.Context, o actions.Origin, reqs []actions.Request) error {
	ctx = chat.InRound(ctx)
	for i, r := range reqs {
		action, known := a.Registry.Lookup(r.Type)
		if !known {
			return errors.New("I cannot do that any more")
		}
		if action.Own && o.Approves != "" {
			return errors.New("only " + o.Approves.Mention() + " can, since it is about what is theirs")
		}
		if len(action.Permissions()) == 0 && o.Approves != "" && !a.Access.Operates(ctx, a.Members, o.Requester, o.Place.Guild) {
			return errors.New("only " + o.Approves.Mention() + " and the people who run me can")
		}
		b, err := action.Bind(r.Args)
		if err != nil {
			return err
		}
		if err := access.May(ctx, a.Access, a.Members, o, b); err != nil && !b.WaitsFor(err, reqs[:i]) {
			return notForThem(o, err)
		}
	}
	return nil
}

// notForThem is why a user may not approve what another asked for. What they cannot see has no name here.
func notForThem(o actions.Origin, err error) error {
	if lack := (interface{ Lacking() *actions.Lack })(nil); o.Approves == "" || errors.As(err, &lack) {
		return err
	}
	return errors.New("it is about something that you can't see, or that is gone")
}

// Holds is what a card has to say of a request that approves something itself; empty for others.
func (a Approved) Holds(ctx context.Context, o actions.Origin, r actions.Request) string {
	action, known := a.Registry.Lookup(r.Type)
	if !known {
		return ""
	}
	b, err := action.Bind(r.Args)
	if err != nil {
		return "" // it fails anyway
	}
	return b.Holds(ctx, o)
}

// Do executes the requests as they are. It refuses all of them if their requester is not served any more.
func (a Approved) Do(ctx context.Context, o actions.Origin, reqs []actions.Request) []actions.Outcome {
	ctx = turn.WithLog(ctx, o)
	if why := a.Access.Admit(access.ByButton, chat.User{ID: o.Requester}, o.Place); why != access.Admitted {
		outs := make([]actions.Outcome, len(reqs))
		for i, r := range reqs {
			outs[i] = actions.Outcome{Request: r, Err: errors.New("not done, because I do not take requests from the person who asked any more")}
		}
		return outs
	}
	outs := a.Dispatcher.ExecuteApproved(ctx, o, a.Registry.Gate(a.Flags, Narrowings(o)...), reqs)
	for _, out := range outs {
		turn.LogOutcome(ctx, a.Log, o, out)
	}
	return outs
}
