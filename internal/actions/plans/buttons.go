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
	if d.StopPressed(p) {
		return true
	}
	press, ok := work.ParsePress(p.Button)
	if ok {
		d.bg.Go("answer about a plan", func(ctx context.Context) {
			if text := d.decide(ctx, p, press); text != "" {
				if err := d.face.server.RespondEphemeral(ctx, p, text); err != nil {
					d.Log.WarnContext(ctx, "cannot answer the button", "channel", p.Place.Channel, "user", p.User.ID, "err", err)
				}
			}
		})
	}
	return ok
}

// decide carries out the press of a button, and returns the private reply to it; empty if the channel shows the result.
func (d *Desk) decide(ctx context.Context, p chat.Press, press work.Press) string {
	if !d.Operates(ctx, p.User.ID, p.Place.Guild) {
		return "Only the people who run me decide about plans."
	}
	m := chat.Message{ID: p.Place.Message, Place: p.Place, Author: p.User}
	var said string
	switch press.Verb {
	case work.Approve:
		out, err := d.acts.Perform(ctx, m, "planApprove", Approve{PlanID: string(press.Plan), Version: press.Hash})
		if why := refusalOf(out, err); why != "" {
			d.Overtaken(ctx, p.Place, press)
			return why
		}
		said = work.ApprovedBy(p.User.ID, press.Plan)
	case work.Carry:
		out, err := d.acts.Perform(ctx, m, "planRun", Which{PlanID: string(press.Plan)})
		if why := refusalOf(out, err); why != "" {
			d.Overtaken(ctx, p.Place, press)
			return why
		}
		said = fmt.Sprintf("▶️ Approved, and started by %s.", p.User.ID.Mention())
	case work.Cancel:
		if _, err := d.Plans.Cancel(ctx, p.Place.Guild, string(press.Plan), p.User.ID); err != nil {
			return chat.Capital(err.Error()) + "."
		}
		said = fmt.Sprintf("🛑 Cancelled by %s. `!forge %s` reopens it.", p.User.ID.Mention(), press.Plan)
	default:
		return fmt.Sprintf("Tell me what to change: `!forge %s <what should change>`. Without words after it, I work on what the audit found.", press.Plan)
	}
	d.Decided(ctx, p.Place, press.Plan, said)
	return ""
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
