package plans

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan/work"
)

// An Actor runs actions for people.
type Actor interface {
	Perform(ctx context.Context, m chat.Message, typ string, input any) (actions.Outcome, error)
}

// A Desk is the work on plans with the buttons of messages about it.
type Desk struct {
	*work.Manager
	face *Category
	acts Actor
	bg   *background.Group
}

// Desk returns the desk of plans.
func (c *Category) Desk(a Actor, bg *background.Group) *Desk { return &Desk{c.work, c, a, bg} }

// Pressed handles the buttons of messages about plans.
func (d *Desk) Pressed(_ context.Context, p chat.Press) bool {
	answer := func(context.Context) string { return "That is over already." }
	if isStop, stopped := d.StopPressed(p); stopped {
		return true
	} else if !isStop {
		press, ok := work.ParsePress(p.Button)
		if !ok {
			return false
		}
		answer = func(ctx context.Context) string { return d.decide(ctx, p, press) }
	}
	d.bg.Go("answer about a plan", func(ctx context.Context) {
		if text := answer(ctx); text != "" {
			if err := d.face.server.RespondEphemeral(ctx, p, text); err != nil {
				d.Log.WarnContext(ctx, "cannot answer the button", "channel", p.Place.Channel, "user", p.User.ID, "err", err)
			}
		}
	})
	return true
}

// decide carries out the press of a button, and returns the private reply to it; empty if the channel shows the result.
func (d *Desk) decide(ctx context.Context, p chat.Press, press work.Press) string {
	if !d.Operates(ctx, p.User.ID, p.Place.Guild) {
		return "Only the people who run me decide about plans."
	}
	m := chat.Message{ID: p.Place.Message, Place: p.Place, Author: p.User}
	shown, err := d.Plans.Find(ctx, p.Place.Guild, string(press.Plan))
	if err == nil && shown.Hash() != press.Hash {
		err = fmt.Errorf("this card shows an older version of the plan; `!plan show %s` shows it as it is now", press.Plan)
	}
	if err != nil {
		return chat.Capital(err.Error()) + "."
	}
	switch press.Verb {
	case work.Approve:
		return refusalOf(d.acts.Perform(ctx, m, "planApprove", Approve{PlanID: string(press.Plan), Version: press.Hash}))
	case work.Carry:
		return refusalOf(d.acts.Perform(ctx, m, "planRun", Which{PlanID: string(press.Plan)}))
	case work.Cancel:
		if _, err := d.Plans.Cancel(ctx, p.Place.Guild, string(press.Plan), p.User.ID); err != nil {
			return chat.Capital(err.Error()) + "."
		}
		return ""
	}
	return fmt.Sprintf("Tell me what to change: `!forge %s <what should change>`. Without words after it, I work on what the audit found.", press.Plan)
}

// refusalOf says why an action was not done; empty if it was.
func refusalOf(out actions.Outcome, err error) string {
	switch {
	case err != nil:
		return "I could not write that down; please try again."
	case out.Err != nil:
		return chat.Capital(out.Err.Error()) + "."
	case out.Pending != nil:
		return "This has to be approved on the card that I posted."
	}
	return ""
}
