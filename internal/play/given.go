package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/layout"
)

// A given is something that the bot has from the start in a new world, as if a member had asked for it.
type given struct {
	by, in string
	asks   []asked
	plan   string // the text of the plan that it asks for; empty for other things
}

// asked is an action that a member asks for.
type asked struct {
	By     chat.User
	Place  chat.Place
	Action string
	Fields map[string]any
}

// givenIn reads the lines of a layout that are for the bot. Jobs ask a model by themselves, which may cost money; so they are
// given only where a script speaks.
func givenIn(text string, now time.Time, scripted bool) ([]given, error) {
	lines, err := layout.Parse(text)
	if err != nil {
		return nil, err
	}
	var all []given
	for _, l := range lines {
		g := given{by: l.By, in: l.In}
		switch l.Word {
		case "task":
			g.asks, err = taskOf(l.Text, now)
		case "job":
			if g.asks, err = jobOf(l.Text, now); !scripted {
				g.asks = nil
			}
		case "plan":
			title, text, _ := strings.Cut(l.Text, "\n")
			g.asks, g.plan = []asked{{Action: "planCreate", Fields: map[string]any{"description": title}}}, strings.TrimSpace(text)
		case "memory":
			g.asks = []asked{{Action: "memoryRemember", Fields: map[string]any{"text": l.Text}}}
		default:
			continue
		}
		if err != nil {
			return nil, l.Wrap(err)
		}
		all = append(all, g)
	}
	return all, nil
}

// taskOf reads a task: its title, and then in any order when it is due, whose it is, its tags and whether it is urgent.
func taskOf(text string, now time.Time) ([]asked, error) {
	parts := parted(text)
	fields := map[string]any{"title": parts[0]}
	for _, part := range parts[1:] {
		word, rest, _ := strings.Cut(part, " ")
		switch word {
		case "due":
			at, err := layout.Moment(rest).Time(now)
			if err != nil {
				return nil, err
			}
			fields["due"] = at.Format("2006-01-02")
		case "for":
			fields["assignee"] = rest
		case "tag":
			fields["tags"] = []string{rest}
		case "urgent":
			fields["priority"] = 0
		default:
			return nil, fmt.Errorf("%q says nothing about a task; write due, for, tag or urgent", part)
		}
	}
	return []asked{{Action: "taskCreate", Fields: fields}}, nil
}

var minutesAhead = lazily(`\+\d+m\b`)

// jobOf reads a job: its name, when it runs, and what it is to do. A time such as +20m is one of today.
func jobOf(text string, now time.Time) ([]asked, error) {
	parts := parted(text)
	if len(parts) != 3 {
		return nil, errors.New("a job has a name, times and a prompt, with semicolons between them")
	}
	when := minutesAhead().ReplaceAllStringFunc(parts[1], func(m string) string {
		at, err := layout.Moment(m).Time(now)
		if err != nil {
			return m // the schedule's own error says what is wrong
		}
		return at.Format("15:04")
	})
	return []asked{{Action: "cronCreate", Fields: map[string]any{"name": parts[0], "schedule": when, "prompt": parts[2]}}}, nil
}

func parted(text string) []string {
	parts := strings.Split(text, ";")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// giveAll gives the bot what a new world begins with, once.
func (p *playground) giveAll(ctx context.Context, errs io.Writer) {
	err := p.give(ctx)
	p.begins = nil
	if err != nil && ctx.Err() == nil && errs != nil {
		fmt.Fprintf(errs, "warning: %v\n", err)
	}
}

// give returns what the bot did not take, in a sentence.
func (p *playground) give(ctx context.Context) error {
	if slices.ContainsFunc(p.begins, func(g given) bool { return g.plan != "" }) {
		made, cancel := context.WithTimeout(ctx, projectTime)
		err := makeProject(made, p.data)
		cancel()
		if err != nil {
			return fmt.Errorf("make the project for plans: %w", err)
		}
	}
	for _, g := range p.begins {
		who, known := p.world.Member(g.by)
		where, found := p.world.Channel(g.in)
		if g.in == "" {
			where, found = p.world.Channel("general")
		}
		if !known || !found {
			return fmt.Errorf("the layout has no member %q, or no channel %q", g.by, g.in)
		}
		for _, a := range g.asks {
			a.By, a.Place = chat.User{ID: who.ID, Name: who.Name}, chat.Place{Guild: who.Guild, Channel: where.ID}
			if err := p.current().Perform(ctx, a); err != nil {
				return fmt.Errorf("the bot refuses something of the layout, %s of %s: %w", a.Action, g.by, err)
			}
		}
		if g.plan != "" {
			if err := fillPlan(p.data, g.plan); err != nil {
				return fmt.Errorf("write the plan of the layout: %w", err)
			}
		}
	}
	return nil
}
