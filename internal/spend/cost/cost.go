// Package cost is the command !cost, which tells what the language models have cost.
package cost

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/cron"
	"discoclaw/internal/spend"
)

// times are the times that !cost can sum up, in days.
var times = map[string]int{"today": 1, "week": 7, "month": 30}

// Jobs knows scheduled jobs.
type Jobs interface {
	ByID(ctx context.Context, id string) (cron.Job, error)
}

// A Teller tells what models have cost.
type Teller struct {
	Meter    *spend.Meter
	Jobs     Jobs
	Operates commands.Operates
}

// Commands implements [commands.Commander].
func (t Teller) Commands() []commands.Command {
	return []commands.Command{{
		Name: "cost", Args: "[today | week | month]", Summary: "Show what the language models have cost.", Run: t.tell,
		Options: []commands.Option{{Name: "time", Summary: "Of which time; today if left out.", Choices: []string{"today", "week", "month"}}},
	}}
}

func (t Teller) tell(ctx context.Context, m chat.Message, args string) (string, error) {
	days, ok := times[cmp.Or(strings.ToLower(strings.TrimSpace(args)), "today")]
	if !ok {
		return "", &commands.UsageError{Problem: "It takes one of these words, or nothing."}
	}
	spoken := map[int]string{1: "today", 7: "in the last 7 days", 30: "in the last 30 days"}[days]
	if !t.Operates(ctx, m) {
		own, err := t.Meter.Of(ctx, string(m.Author.ID), days)
		return fmt.Sprintf("Your requests have cost %s %s.", own.Amount(), spoken), err
	}
	r, err := t.Meter.Report(ctx, days)
	if err != nil {
		return "", err
	}
	return report(r, spoken, t.Meter.Ceilings, func(id string) string { return t.jobName(ctx, id) }), nil
}

// jobName returns the name of a scheduled job with its ID, which is all that is left of one that was deleted.
func (t Teller) jobName(ctx context.Context, id string) string {
	j, err := t.Jobs.ByID(ctx, id)
	if err != nil {
		return chat.InCode(id)
	}
	return fmt.Sprintf("%s (%s)", chat.Bold(j.Name), id)
}

// maxLines is how many lines of a list are shown.
const maxLines = 8

// report is a report in words. Channels and people are mentions, which Discord hides from those who may not see them.
func report(r spend.Report, spoken string, c spend.Ceilings, jobName func(id string) string) string {
	lines := []string{fmt.Sprintf("**Cost %s**: %s", spoken, r.Total)}
	if c.Day > 0 {
		lines = append(lines, fmt.Sprintf("-# %s may be spent in a day (DISCOCLAW\\_BUDGET\\_DAY\\_USD).", spend.Ceiling(c.Day)))
	}
	jobs := slices.DeleteFunc(r.Jobs, func(s spend.Sum) bool { return s.Of == "" }) // what was spent outside of them
	for _, list := range []struct {
		title string
		sums  []spend.Sum
		name  func(string) string
		none  string
	}{
		{"By person", r.People, func(s string) string { return chat.UserID(s).Mention() }, "the bot's own work"},
		{"By channel", r.Channels, func(s string) string { return chat.ChannelID(s).Mention() }, "no channel"},
		{"By scheduled job", jobs, jobName, ""},
		{"By role", r.Roles, func(s string) string { return s }, "others"},
		{"By model", r.Models, chat.InCode, "unknown"},
	} {
		if len(list.sums) == 0 {
			continue
		}
		lines = append(lines, list.title+":")
		for i, s := range list.sums {
			if i == maxLines {
				lines = append(lines, fmt.Sprintf("- and %d more", len(list.sums)-i))
				break
			}
			name := list.none
			if s.Of != "" {
				name = list.name(s.Of)
			}
			lines = append(lines, fmt.Sprintf("- %s: %s", name, s))
		}
	}
	return strings.Join(lines, "\n")
}
