package plans

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/work"
	"discoclaw/internal/tasks"
)

const help = "**Plans**: what is to change in a project, phase by phase, once you have approved it.\n" +
	"`!plan <description>`: make a plan to fill in; `!forge <description>` has models write one\n" +
	"`!plan list [status]`, `!plan show <plan>`: look at plans\n" +
	"`!plan approve <plan>`, `!plan close <plan>`: decide about one\n" +
	"`!plan run <plan>`: have it carried out; `run-one` only its next phase, `run-phase <plan> <phase>` a certain one\n" +
	"`!plan cancel <plan>`: stop its run, or set it aside before it is approved\n" +
	"`!plan phases <plan>`: show its phases; `--regenerate` divides it anew, with `--keep-done` what is done stays so\n" +
	"`!plan skip <plan>`, `!plan skip-to <plan> <phase>`: leave phases out\n" +
	"`!plan audit <plan>`: have a model look for mistakes in it\n" +
	"A plan is named by its ID, such as `plan-007` or `7`, or by the ID of its task."

const which = "Say which plan, by its ID; `!plan list` shows them."

// Commands implements [commands.Commander]: !plan. Some of its verbs are for people alone.
func (c *Category) Commands() []commands.Command {
	verbs := []commands.Verb{
		{Name: "new", Type: "planCreate", Read: c.Subject},
		{Name: "list", Type: "planList"},
		{Name: "show", Type: "planShow", Missing: which, Tidy: single},
		{Name: "approve", Type: "planApprove", Missing: which, Tidy: single},
		{Name: "close", Type: "planClose", Missing: which, Tidy: single},
		{Name: "run", Type: "planRun", Missing: which, Tidy: single},
		{Name: "cancel", Run: byHand(1, c.cancel)},
		{Name: "phases", Run: c.whereRun(c.phases)},
		{Name: "run-one", Run: c.whereRun(byHand(1, c.runOne))},
		{Name: "run-phase", Run: c.whereRun(byHand(2, c.runPhase)), Example: "!plan run-phase 7 phase-2"},
		{Name: "skip", Run: c.whereRun(byHand(1, c.skip))},
		{Name: "skip-to", Run: c.whereRun(byHand(2, c.skipTo)), Example: "!plan skip-to 7 phase-2"},
		{Name: "audit", Run: c.Audit()},
		{Name: "help", Run: func(context.Context, chat.Message, string) (string, error) { return help, nil }},
	}
	return []commands.Command{{
		Name: "plan", Args: "[<description> | list | show, approve, close, run, cancel or phases <plan> | help]",
		Summary: "Make plans for changes of a project, approve them and have them carried out.", Operator: true, Where: commands.OnServers, Verbs: verbs,
		Choose: func(_ context.Context, _ chat.Message, args string) (verb, text string) {
			verb, text = commands.CutWords(args, 1)
			_, err := doc.ParseID(verb)
			switch {
			case err == nil && text == "":
				return "show", verb
			case verb == "":
				return "help", ""
			case slices.ContainsFunc(verbs, func(v commands.Verb) bool { return strings.EqualFold(v.Name, verb) }):
				return verb, text
			}
			return "new", args
		},
		Options: []commands.Option{
			{Name: commands.What, Summary: "What to do; the list of what there is if left out."},
			{Name: "plan", Summary: "Which plan, by its ID; not for new and list.", Complete: c.OpenIDs},
			{Name: "text", Summary: "For new what is to change, for list a status, for run-phase and skip-to the phase."},
		},
	}}
}

// OpenIDs returns the IDs of plans that are not closed, the newest first, for completion. If they cannot be read there are none.
func (c *Category) OpenIDs(ctx context.Context, _ chat.User, at chat.Place, _ string) (ids []string) {
	list, _ := c.work.Plans.List(ctx, at.Guild, "")
	for _, p := range slices.Backward(list) {
		if p.Status != doc.Closed {
			ids = append(ids, string(p.ID))
		}
	}
	return ids
}

// single leaves nothing of a text that is more than the ID of a plan, so that which plan is asked for.
func single(text string) (string, error) {
	if len(strings.Fields(text)) != 1 {
		return "", nil
	}
	return text, nil
}

// A run is what a verb does that is no action.
type run = func(ctx context.Context, m chat.Message, text string) (string, error)

// byHand returns the run of a verb that takes a plan or, with two words, also one of its phases.
func byHand(words int, do func(context.Context, work.Order) (string, error)) run {
	return func(ctx context.Context, m chat.Message, text string) (string, error) {
		given := append(strings.Fields(text), "")
		switch {
		case len(given)-1 == words:
		case words == 1:
			return "", &commands.UsageError{Problem: which}
		default:
			return "", &commands.UsageError{Problem: "Say which plan, and which of its phases."}
		}
		return answer(do(ctx, work.Order{Ref: given[0], Phase: work.PhaseID(given[1]), At: m.Place, Requester: m.Author.ID}))
	}
}

// answer answers an operator with an error for people.
func answer(text string, err error) (string, error) {
	if err != nil {
		return chat.Capital(chat.ForOperators(err).Error()) + ".", nil
	}
	return text, nil
}

// whereRun returns a verb that works only where plans are carried out.
func (c *Category) whereRun(do run) run {
	if c.work.NoRuns {
		return func(context.Context, chat.Message, string) (string, error) { return answer("", work.ErrNoRuns) }
	}
	return do
}

func (c *Category) runOne(ctx context.Context, o work.Order) (string, error) {
	o.One = true
	return c.runPhase(ctx, o)
}

func (c *Category) runPhase(ctx context.Context, o work.Order) (string, error) {
	_, first, err := c.work.Start(ctx, o)
	if err == nil && first.ID == "" {
		return "Nothing is left to do: all phases are over.", nil
	}
	return fmt.Sprintf("Started %s. A message here shows how it goes.", strings.Replace(first.ID, "-", " ", 1)), err
}

func (c *Category) skip(ctx context.Context, o work.Order) (string, error) {
	p, id, err := c.work.Skip(ctx, o.At.Guild, o.Ref)
	return fmt.Sprintf("Skipped %s. %s", id, whatIsLeft(p)), err
}

func (c *Category) skipTo(ctx context.Context, o work.Order) (string, error) {
	p, ids, err := c.work.SkipTo(ctx, o.At.Guild, o.Ref, o.Phase)
	if len(ids) == 0 {
		return fmt.Sprintf("Nothing had to be skipped for %s. %s", o.Phase, whatIsLeft(p)), err
	}
	return fmt.Sprintf("Skipped %s. %s", chat.And(ids), whatIsLeft(p)), err
}

// whatIsLeft says how to go on after phases were skipped.
func whatIsLeft(p plan.Plan) string {
	for _, ph := range p.Phases.Phases {
		if !ph.Status.Terminal() {
			return fmt.Sprintf("`!plan run %s` goes on.", p.ID)
		}
	}
	return fmt.Sprintf("No phase is left; `!plan close %s` closes it.", p.ID)
}

// Audit returns what the verb audit does, which !forge has as well.
func (c *Category) Audit() func(ctx context.Context, m chat.Message, text string) (string, error) {
	return byHand(1, func(ctx context.Context, o work.Order) (string, error) {
		_, err := c.work.Audit(ctx, o)
		return "A model audits the plan now. What it finds appears here in a few minutes.", err
	})
}

// cancel stops the run of a plan, or sets a plan aside that was not approved.
func (c *Category) cancel(ctx context.Context, o work.Order) (string, error) {
	p, err := c.work.Plans.Find(ctx, o.At.Guild, o.Ref)
	if err != nil {
		return "", err
	}
	if stopped := c.work.Cancel(o.At.Guild, plan.Running, p.ID, o.Requester); len(stopped) > 0 {
		return fmt.Sprintf("🛑 Stopped the run. What its finished phases have committed stays; `!plan run %s` goes on.", p.ID), nil
	}
	if p, err = c.work.Plans.Cancel(ctx, o.At.Guild, o.Ref, o.Requester); err != nil {
		return "", err
	}
	return fmt.Sprintf("🛑 Set the plan aside. `!forge %s` takes it up again.", p.ID), nil
}

const (
	maxDescription  = 2000
	maxSaid         = 3000 // characters of what was said before
	maxSaidMessages = 10
)

// Subject reads what !plan and !forge are to make a plan for, with what it refers to: the message that they reply to, the task of the
// thread, and what was said in the thread. It returns a [Create] and the outside text in it.
func (c *Category) Subject(ctx context.Context, m chat.Message, text string) (input any, outside chat.Sources, err error) {
	in := Create{Description: strings.TrimSpace(text)}
	const project = "project:"
	first, rest := commands.CutWords(in.Description, 1)
	if rest != "" && len(first) > len(project) && strings.EqualFold(first[:len(project)], project) {
		in.Project, in.Description = first[len(project):], rest
	}
	if chat.Length(in.Description) > maxDescription {
		const tooLong = "That is too long: put it into at most %d characters, or reply to a message that says it."
		return nil, "", &commands.UsageError{Problem: fmt.Sprintf(tooLong, maxDescription)}
	}
	var parts []string
	task, err := c.work.Plans.Tasks.InThread(ctx, m.Place.Channel)
	switch {
	case err == nil && task.Guild == m.Place.Guild:
		in.Description = strings.TrimSuffix(task.Title+": "+in.Description, ": ") // which may be no more than "this"
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("The task %s, %s\n%s", task.ID, task.Title, task.Description)))
		outside.Add(task.Outside)
	case err != nil && !errors.Is(err, tasks.ErrNotFound):
		return nil, "", err
	}
	if said := m.Answers; said != nil && said.Text != "" {
		parts = append(parts, saidLine(*said))
		outside.Add(said.Outside(c.source))
	}
	in.Context = chat.Clip(strings.Join(slices.Concat(parts, c.saidInThread(ctx, m)), "\n\n"), maxSaid)
	return in, outside, nil
}

func saidLine(m chat.Message) string { return m.Author.Name + " wrote: " + m.Text }

// saidInThread returns what was said last in the thread of a command, the oldest first, without outside text. It is empty elsewhere, and
// if it cannot be read.
func (c *Category) saidInThread(ctx context.Context, m chat.Message) []string {
	if m.Place.Parent == "" {
		return nil
	}
	list, err := c.server.Messages(ctx, m.Place.Channel, m.ID, maxSaidMessages)
	if err != nil {
		c.work.Log.WarnContext(ctx, "thread not read for a plan", "channel", m.Place.Channel, "err", err)
	}
	var lines []string
	for _, said := range slices.Backward(list) {
		isCommand := strings.HasPrefix(said.Text, "!")
		if said.Text != "" && !said.System && !isCommand && said.ID != m.ReplyTo && said.Outside(c.source) == "" {
			lines = append(lines, saidLine(said))
		}
	}
	return lines
}
