package crons

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/cron"
	"discoclaw/internal/cron/schedule"
)

// Limits leave times of a schedule out. As text, they may also stand in the schedule.
type Limits struct {
	Every schema.Opt[string]   `json:"every,omitzero" doc:"Such as 2 weeks, 3 days or 2 months: counted from the first one on, the others are left out." max:"40"`
	From  schema.Opt[string]   `json:"from,omitzero" doc:"The first date, such as 2027-05-01; with @every, the first time, such as 2027-05-01 06:00." max:"40"`
	Until schema.Opt[string]   `json:"until,omitzero" doc:"The last date." max:"40"`
	Skip  schema.Opt[[]string] `json:"skip,omitzero" doc:"All dates on which it does not run. An empty text clears any of these." max:"30"`
}

// A limit is one that was given, with its name in a schedule; an empty text clears it.
type limit struct{ name, text string }

func (l Limits) given() (list []limit) {
	for _, field := range []struct {
		name string
		schema.Opt[string]
	}{
		{"every", l.Every},
		{"from", l.From},
		{"until", l.Until},
		{"skip", schema.Opt[string]{Value: strings.Join(listed(l.Skip.Value), ","), Given: l.Skip.Given}},
	} {
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.ToLower(field.Value)), field.name+" "))
		if field.Given {
			list = append(list, limit{field.name, text})
		}
	}
	return list
}

// limited returns a schedule as it is stored: a new one, or the one that a job has, with the limits that are given.
func (c *Category) limited(l Limits, text, has, zone string) (string, error) {
	given := l.given()
	for _, limit := range given {
		if text == "" {
			_, has = schedule.Limit(has, limit.name)
		}
	}
	if text = cmp.Or(text, has); text != has {
		text += c.kept(given, text, has, zone)
	}
	for _, limit := range given {
		if limit.text != "" {
			text += " " + limit.name + " " + limit.text
		}
	}
	if text == "" {
		return "", nil
	}
	d, err := c.engine.Checked(engine.Definition{Name: "job", Prompt: "look", Schedule: text, Zone: zone})
	if err != nil {
		return "", err
	}
	if len(given) == len(limits) { // as exactly returns them: nothing of it need be new
		return d.Schedule, nil
	}
	today := c.today(d)
	for _, limit := range given {
		every, _ := schedule.Limit(d.Schedule, "every")
		had, _ := schedule.Limit(has, limit.name)
		for date := range strings.SplitSeq(limit.text, ",") {
			passed := date < today && !slices.Contains(strings.Split(had, ","), date)
			if _, err := time.Parse(time.DateOnly, date); err == nil && passed && (limit.name == "skip" || limit.name == "from" && every == "") {
				return "", fmt.Errorf("%s: %s has passed, since it is %s there; name a later date, or leave it out", limit.name, date, today)
			}
		}
	}
	return d.Schedule, nil
}

// limits are the names of the limits in a schedule.
var limits = [...]string{"every", "from", "until", "skip"}

// kept are the limits of a job that stay with its new times, since neither these nor a field say anything about them.
func (c *Category) kept(given []limit, text, has, zone string) (keep string) {
	d, err := c.engine.Checked(engine.Definition{Name: "job", Prompt: "look", Schedule: text, Zone: zone})
	if plan, _ := d.Plan(); err != nil || plan.Once() {
		return ""
	}
	isDelay := strings.HasPrefix(d.Schedule, "@") || strings.HasPrefix(has, "@")
	for _, name := range limits {
		says, _ := schedule.Limit(d.Schedule, name)
		had, _ := schedule.Limit(has, name)
		isGiven := slices.ContainsFunc(given, func(l limit) bool { return l.name == name })
		isPast := name == "until" && had < c.today(d)
		if had != "" && says == "" && !isGiven && !isPast && !(isDelay && (name == "every" || name == "from")) {
			keep += " " + name + " " + had
		}
	}
	return keep
}

// today is the date for a job.
func (c *Category) today(d engine.Definition) string {
	_, in := d.Plan()
	return c.engine.Now().In(in).Format(time.DateOnly)
}

// exactly returns a stored schedule as times with all limits given, so that a change to it keeps no others.
func exactly(stored string) (times string, l Limits) {
	one := func(name string) string {
		value, rest := schedule.Limit(stored, name)
		stored = rest
		return value
	}
	l = Limits{Every: schema.Some(one("every")), From: schema.Some(one("from")), Until: schema.Some(one("until"))}
	l.Skip = schema.Some(strings.FieldsFunc(one("skip"), func(r rune) bool { return r == ',' }))
	return stored, l
}

// plainTimes are the times of a request in words, for who must not read what others may have written.
func (c *Category) plainTimes(l Limits, text, has, zone string) map[string]string {
	text, err := c.limited(l, text, has, zone)
	if err != nil || text == "" {
		return nil
	}
	plain := map[string]string{"schedule": c.words(engine.Definition{Schedule: text, Zone: zone, Trigger: engine.BySchedule})}
	for _, limit := range l.given() {
		plain[limit.name] = cmp.Or(limit.text, "none")
	}
	return plain
}

// onCard leaves the times of plainTimes to say what limits them, too.
func onCard(times map[string]string) map[string]string {
	for _, name := range limits {
		if times[name] != "" {
			times[name] = ""
		}
	}
	return times
}

func (c *Category) words(d engine.Definition) string { return c.engine.Times(d, c.engine.Now()) }

// runs says when and where a job runs.
func (c *Category) runs(j engine.Job) string {
	times := c.words(j.Definition)
	if strings.Contains(times, ",") {
		times += "," // what comes before is about the last date
	}
	return "runs " + times + " in " + where(j)
}

// about says when and where a job runs, after its name.
func (c *Category) about(here chat.ChannelID, j engine.Job) string {
	text := "runs " + c.words(j.Definition)
	switch plan, _ := j.Plan(); {
	case j.Channel == here:
	case plan.String() == "":
		text += ", and answers in " + where(j)
	default:
		text = c.runs(j)
	}
	if !j.Next.IsZero() {
		text += "; next " + chat.Clock(j.Next)
	}
	if j.Over() {
		text += "; that has passed, so give it a new time to have it run again"
	}
	if j.Trigger == engine.ByWebhook {
		text += "; " + chat.InCode("/discoclaw cron webhook "+j.ID) + " shows its author the address and the secret"
	}
	return text
}
