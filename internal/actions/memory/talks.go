package memory

import (
	"context"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/memory"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/prompt"
)

// isTalk reports whether turns of a flow are part of a conversation that is summed up.
func isTalk(f actions.Flow) bool { return f == actions.FlowMessage || f == actions.FlowDM }

// Note stores what was said in a turn for its summary, in the transaction that settles it. What the bot said after it read
// outside text is left out, so that a summary never is such a text.
func (c *Category) Note(ctx context.Context, tx *store.Tx, r turn.Report) error {
	if !isTalk(r.Origin.Flow) || r.By.Bot || r.Err != nil || r.KeptBack != "" || strings.TrimSpace(r.Message.Text) == "" {
		return nil
	}
	x := memory.Exchange{Turn: r.ID, Place: r.Origin.Place, Person: r.By.ID, Name: r.By.Name, Said: r.Message.Text,
		At: r.Began, Capsule: memory.Capsule(r.Capsule)}
	x.Public = x.Place.Guild != "" && c.Server.Public(x.Place)
	if r.Outside == "" {
		x.Answer = prompt.WithoutReport(r.Text)
	}
	return c.Engine.Note(ctx, tx, x)
}

// SumUp sums up a conversation after a turn, in the background.
func (c *Category) SumUp(background func(name string, work func(context.Context)) bool, r turn.Report) {
	if !c.Engine.Talks.On || r.ID == "" || r.Requeued || r.Command != "" {
		return
	}
	background("sum up a conversation", func(ctx context.Context) {
		if err := c.Engine.SumUp(ctx, r.Origin.Place.Channel, c.AskForSummary); err != nil && ctx.Err() == nil {
			c.Log.WarnContext(ctx, "cannot sum up a conversation", "channel", r.Origin.Place.Channel, "err", err)
		}
	})
}
