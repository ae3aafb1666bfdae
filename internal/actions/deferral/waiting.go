package deferral

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/deferral"
)

// A List queries the pending runs.
type List struct{}

func (c *Category) list() *actions.Action {
	return actions.Define(actions.Spec[List]{
		Name:     "deferList",
		Summary:  "List the follow-ups that wait on this server.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []List{{}},
		Do: func(ctx context.Context, call actions.Call, _ List) (actions.Result, error) {
			all, err := c.engine.Pending(ctx, call.Origin.Place.Guild)
			if err != nil {
				return actions.Result{}, err
			}
			var lines []string
			var outside chat.Sources
			for _, j := range all {
				if c.theirs(ctx, call.Origin, j) {
					outside.Add(j.Outside)
					lines = append(lines, fmt.Sprintf("%d. %s", len(lines)+1, describe(j, c.engine.Now())))
				}
			}
			found := "No pending one-shot deferred actions"
			if len(lines) > 0 {
				found = fmt.Sprintf("Pending one-shot deferred actions (%d):\n%s", len(lines), strings.Join(lines, "\n"))
			}
			return actions.Result{Found: found, Summary: actions.Listed("listed", len(lines), "follow-up that waits", "follow-ups that wait"), Outside: outside}, nil
		},
	})
}

// maxShown is how many characters of a prompt are listed.
const maxShown = 120

// describe is a run in a list. The channel is a mention, whose name Discord shows only to
// members who see it.
func describe(j engine.Job, now time.Time) string {
	remaining := "due now"
	if left := j.Due.Sub(now); j.PutOff {
		remaining = "due, waiting to be tried again"
	} else if left > 0 {
		remaining = human(left)
	}
	prompt := strings.ReplaceAll(chat.Clip(chat.OneLine(j.Prompt), maxShown), `"`, "'")
	return fmt.Sprintf(`id=%d | channel=<#%s> | remaining=%s | runsAt=%s | prompt="%s"`, j.ID, j.Channel, remaining, clock(j.Due), prompt)
}

// A Cancel cancels a run.
type Cancel struct {
	ID int64 `json:"id" doc:"Its ID, as defer and deferList tell it." min:"1"`
}

func (c *Category) cancel() *actions.Action {
	return actions.Define(actions.Spec[Cancel]{
		Name:     "deferCancel",
		Effect:   actions.Keeps,
		Summary:  "Cancel a follow-up that waits.",
		Sentence: "Cancel the follow-up with the number {id}",
		Examples: []Cancel{{ID: 3}},
		Do: func(ctx context.Context, call actions.Call, in Cancel) (actions.Result, error) {
			j, err := c.engine.Cancel(ctx, in.ID, func(j engine.Job) bool { return c.theirs(ctx, call.Origin, j) })
			if errors.Is(err, engine.ErrNotPending) {
				// The same for another member's run, whose existence is private.
				return actions.Result{}, fmt.Errorf("you have no follow-up %d that is waiting", in.ID)
			}
			if err != nil {
				return actions.Result{}, err
			}
			summary := fmt.Sprintf("cancelled follow-up %d in %s", j.ID, j.Channel.Mention())
			if j.PutOff {
				summary += ", which was put off; what it may have done before that stays"
			}
			return actions.Result{Summary: summary}, nil
		},
	})
}

// clock is a time as the category writes it.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// human is a duration in hours, minutes and seconds, as in 1h 2m 3s.
func human(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%gs", d.Round(time.Millisecond).Seconds())
	}
	d = d.Round(time.Second)
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", n, unit.name))
		}
		d %= unit.size
	}
	return strings.Join(parts, " ")
}
