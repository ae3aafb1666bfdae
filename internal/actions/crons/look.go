package crons

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/cron"
)

// A List asks for jobs.
type List struct {
	Status string `json:"status,omitempty" rare:"yes" doc:"Only those that are active or paused." enum:"active,paused"`
	Until  string `json:"until,omitempty" rare:"yes" alias:"before,due" doc:"Only those that run by a time such as 2027-05-01T18:00+02:00." max:"40"`
}

func (c *Category) list() *actions.Action {
	return actions.Define(actions.Spec[List]{
		Name:     "cronList",
		Aliases:  []string{"LIST_CRONS", "LIST_SCHEDULES"},
		Summary:  "List the scheduled jobs of this server and when they run next.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []List{{}},
		Check: func(in List) error {
			_, err := until(in.Until)
			return err
		},
		Do: c.doList,
	})
}

func until(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("I can't read %q as a time; write it like 2027-05-01T18:00+02:00", chat.Clip(chat.OneLine(text), 40))
}

func (c *Category) doList(ctx context.Context, call actions.Call, in List) (actions.Result, error) {
	g, err := call.Guild()
	if err != nil {
		return actions.Result{}, err
	}
	all, err := c.engine.List(ctx, g)
	if err != nil {
		return actions.Result{}, err
	}
	by, _ := until(in.Until)
	list := slices.DeleteFunc(slices.Clone(all), func(j engine.Job) bool {
		return in.Status == "active" && (j.Rests() || j.Over()) || in.Status == "paused" && !j.Rests() ||
			!by.IsZero() && (j.Next.IsZero() || j.Next.After(by)) || !c.sees(ctx, call, j)
	})
	lines := []string{"there are no scheduled jobs here"}
	if in != (List{}) {
		lines[0] = "there are no scheduled jobs like that"
	}
	if len(list) > 0 {
		lines = []string{chat.Counted(len(list), "scheduled job", "scheduled jobs") + ":"}
	}
	for _, j := range list {
		lines = append(lines, c.line(ctx, call, all, j))
	}
	return found(strings.Join(lines, "\n"), actions.Listed("listed", len(list), "scheduled job", "scheduled jobs"), list...), nil
}

// line is a job in a list. All are those of its server.
func (c *Category) line(ctx context.Context, call actions.Call, all []engine.Job, j engine.Job) string {
	running, err := c.engine.RunningNow(ctx, j.ID)
	running = running && err == nil
	parts := []string{c.runs(j)}
	switch {
	case j.PausedBy != "":
		parts = append(parts, "paused by "+j.PausedBy.Mention())
	case j.Rests():
		parts = append(parts, "paused")
	case j.Over() && !running:
		parts = append(parts, "over")
	case !j.Next.IsZero():
		parts = append(parts, "next "+chat.Clock(j.Next))
	}
	if running {
		parts = append(parts, "running now")
	}
	switch {
	case j.Runs > 0:
		ran := fmt.Sprintf("%s, the last %s", chat.Counted(j.Runs, "run", "runs"), chat.Clock(j.LastRun))
		if j.Last != engine.Success {
			ran += ": " + string(j.Last)
		}
		parts = append(parts, ran)
	default:
		parts = append(parts, "no run yet")
	}
	if len(j.Tags) > 0 {
		parts = append(parts, "tags: "+chat.Literal(strings.Join(j.Tags, ", ")))
	}
	if len(j.Chain) > 0 {
		var next []string
		for _, id := range j.Chain {
			i := slices.IndexFunc(all, func(j engine.Job) bool { return j.ID == id })
			if i >= 0 && c.sees(ctx, call, all[i]) && c.tells(ctx, call, all[i]) {
				next = append(next, called(all, all[i]))
			} else {
				next = append(next, "another job")
			}
		}
		parts = append(parts, "followed by "+chat.And(next))
	}
	return fmt.Sprintf("%s by %s: %s", called(all, j), j.Author.Mention(), strings.Join(parts, ", "))
}

func (c *Category) show() *actions.Action {
	return actions.Define(actions.Spec[Which]{
		Name:     "cronShow",
		Hidden:   true,
		Summary:  "Show all of a scheduled job, and its last runs.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []Which{{ID: "cron-1a2b3c4d"}},
		Do: func(ctx context.Context, call actions.Call, in Which) (actions.Result, error) {
			j, err := c.find(ctx, call, in.ID)
			if err != nil {
				return actions.Result{}, err
			}
			text, err := c.whole(ctx, call, j)
			return found(text, "looked at "+c.name(ctx, call, j), j), err
		},
	})
}

// maxShownState is how much of a state is shown.
const maxShownState = 500

// whole is all of a job.
func (c *Category) whole(ctx context.Context, call actions.Call, j engine.Job) (string, error) {
	all, err := c.engine.List(ctx, j.Guild)
	if err != nil {
		return "", err
	}
	lines := []string{"scheduled job " + c.line(ctx, call, all, j)}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	plan, zone := j.Plan()
	if plan.String() != "" {
		add("%s (%s) · %s", plan.Words(c.engine.Now().In(zone)), zone, map[engine.Missed]string{
			engine.Skip: "missed runs are left out", engine.Once: "a missed run is made up once", engine.All: "missed runs are all made up",
		}[j.Missed])
		for _, t := range nextTimes(j) {
			add("runs %s", t.In(zone).Format("Mon 2006-01-02 15:04 -07:00"))
		}
	}
	if j.Trigger == engine.ByWebhook {
		waiting, err := c.engine.Waiting(ctx, j.ID)
		if err != nil {
			return "", err
		}
		add("calls of its webhook that wait: %d", waiting)
	}
	if j.Silent {
		add("silent: short answers are not posted")
	}
	if j.Routes {
		add("routingMode: json, its answers name their channels themselves")
	}
	if j.Model != "" {
		add("model: %s", chat.Literal(j.Model))
	}
	if j.Allowed != nil {
		add("allowedActions: %s", strings.Join(j.Allowed, ", "))
	}
	if j.Error != "" && c.theirs(ctx, call.Origin, j) { // it may say more than other members need to know
		add("last error: %s", chat.OneLine(j.Error))
	}
	past, err := c.engine.Past(ctx, j.ID, 5)
	for _, p := range past {
		if p.Status == engine.LeftOut {
			add("left out %s: %s", p.Slot.In(zone).Format("2006-01-02 15:04"), p.Error)
			continue
		}
		add("run %s (%s): %s, %d tokens in, %d out", p.Ended.In(zone).Format("2006-01-02 15:04"), p.Why, p.Status, p.Input, p.Output)
	}
	if j.State != nil {
		add("kept: %s", chat.Clip(string(j.State), maxShownState))
	}
	add("prompt: %s", j.Prompt)
	return strings.Join(lines, "\n"), err
}

// found is the result of a query: those may know it who see the channels of the jobs.
func found(text, did string, list ...engine.Job) actions.Result {
	res := actions.Result{Found: text, Summary: did, Open: len(list) == 0}
	for _, j := range list {
		res.Outside.Add(j.Outside)
		if !slices.Contains(res.From, j.Channel) {
			res.From = append(res.From, j.Channel)
		}
	}
	return res
}
