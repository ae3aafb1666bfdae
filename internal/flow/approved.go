package flow

import (
	"context"
	"fmt"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
)

// Approved carries out what a person has agreed to. It judges by the rules of now: a
// category that was switched off since, or a right that somebody has lost, stops it.
type Approved struct {
	Registry   *actions.Registry
	Flags      actions.CategoryFlags
	Dispatcher *actions.Dispatcher
	Access     access.Policy
	Members    access.Members
}

// May says why the origin's requester may not do one of these.
func (a Approved) May(ctx context.Context, o actions.Origin, reqs []actions.Request) error {
	for _, r := range reqs {
		action, known := a.Registry.Lookup(r.Type)
		if !known {
			return fmt.Errorf("there is no action %s any more", r.Type)
		}
		b, err := action.Bind(r.Args)
		if err != nil {
			return err
		}
		if err := access.May(ctx, a.Access, a.Members, o, b); err != nil {
			return err
		}
	}
	return nil
}

// Do does them, each as it is.
func (a Approved) Do(ctx context.Context, o actions.Origin, reqs []actions.Request) []actions.Outcome {
	return a.Dispatcher.ExecuteApproved(ctx, o, a.Registry.Gate(a.Flags, Narrowings(o)...), reqs)
}
