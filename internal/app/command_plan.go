package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	planwork "discoclaw/internal/plan/work"
)

// planVerbs are what !plan can do.
var planVerbs = []string{"new", "list", "show", "approve", "close", "run", "cancel", "phases", "run-one", "run-phase", "skip", "skip-to", "audit", "help"}

const planHelp = "**Plans**: what is to change in a project, phase by phase, once you have approved it.\n" +
	"`!plan <description>`: make a plan to fill in; `!forge <description>` has models write one\n" +
	"`!plan list [status]`, `!plan show <plan>`: look at plans\n" +
	"`!plan approve <plan>`, `!plan close <plan>`: decide about one\n" +
	"`!plan run <plan>`: have it carried out; `run-one` only its next phase, `run-phase <plan> <phase>` a certain one\n" +
	"`!plan cancel <plan>`: stop its run, or set it aside before it is approved\n" +
	"`!plan phases <plan>`: show its phases; `--regenerate` divides it anew, with `--keep-done` what is done stays so\n" +
	"`!plan skip <plan>`, `!plan skip-to <plan> <phase>`: leave phases out\n" +
	"`!plan audit <plan>`: have a model look for mistakes in it\n" +
	"A plan is named by its ID, such as `plan-007` or `7`, or by the ID of its task."

// planCommand returns !plan. What is an action goes its way; the rest is for people alone.
func (b *Bot) planCommand() commands.Command {
	return commands.Command{
		Name: "plan", Args: "[<description> | list | show, approve, close, run, cancel or phases <plan> | help]",
		Summary: "Make plans for changes of a project, approve them and have them carried out.", Operator: true, Where: commands.OnServers, Off: b.partOff("plan"), Run: b.plan,
		Options: []commands.Option{
			{Name: "what", Summary: "What to do; the list of what there is if left out.", Choices: planVerbs},
			{Name: "plan", Summary: "Which plan, by its ID; not for new and list.", Complete: b.openPlanIDs},
			{Name: "text", Summary: "For new what is to change, for list a status, for run-phase and skip-to the phase."},
		},
	}
}

// partOff returns what an operator can do so that people can use the part of the bot that a category acts on.
func (b *Bot) partOff(category string) func() string {
	return func() string { return b.core.people[category].Remedy }
}

// openPlanIDs returns the IDs of plans that are not closed, the newest first, for completion.
func (b *Bot) openPlanIDs(ctx context.Context, who chat.User, at chat.Place, _ string) []string {
	const most = 25
	if !b.core.operates(ctx, who.ID, at.Guild) {
		return nil
	}
	list, err := b.core.plans.List(ctx, at.Guild, "")
	if err != nil {
		b.core.log.WarnContext(ctx, "plans not read", "err", err)
	}
	var ids []string
	for _, p := range slices.Backward(list) {
		if p.Status != doc.Closed && len(ids) < most {
			ids = append(ids, string(p.ID))
		}
	}
	return ids
}

func (b *Bot) plan(ctx context.Context, m chat.Message, args string) (string, error) {
	verb, rest := commands.CutWords(strings.TrimSpace(args), 1)
	verb = strings.ToLower(strings.TrimSpace(verb))
	if _, err := doc.ParseID(verb); err == nil && rest == "" {
		verb, rest = "show", verb
	}
	switch verb {
	case "", "help":
		return planHelp, nil
	case "list":
		return b.answerWith(ctx, m, "planList", planact.List{Status: rest}, "")
	case "show", "approve", "close", "run":
		ref, err := onePlan(rest)
		if err != nil {
			return "", err
		}
		return b.answerWith(ctx, m, "plan"+chat.Capital(verb), planact.Which{PlanID: ref}, "")
	case "new":
		return b.newPlan(ctx, m, rest)
	}
	if !slices.Contains(planVerbs, verb) {
		return b.newPlan(ctx, m, args)
	}
	return b.managePlan(ctx, m, verb, rest)
}

const whichPlan = "Say which plan, by its ID; `!plan list` shows them."

// onePlan reads arguments that name a plan and nothing else.
func onePlan(args string) (ref string, err error) {
	words := strings.Fields(args)
	if len(words) != 1 {
		return "", &commands.UsageError{Problem: whichPlan}
	}
	return words[0], nil
}

// newPlan makes a plan that people fill in.
func (b *Bot) newPlan(ctx context.Context, m chat.Message, args string) (string, error) {
	asked, err := b.planSubject(ctx, m, args)
	if err != nil {
		return "", err
	}
	return b.answerAfter(ctx, m, asked.outside, "planCreate", planact.Create{Description: asked.description, Context: asked.context, Project: asked.project}, "")
}

// managePlan does what only people do with plans.
func (b *Bot) managePlan(ctx context.Context, m chat.Message, verb, args string) (string, error) {
	if verb != "cancel" && verb != "audit" && !b.core.Config.Plans.Phases {
		return sorry(planwork.ErrNoRuns), nil
	}
	if verb == "phases" {
		return b.planPhases(ctx, m, args)
	}
	phase := ""
	if verb == "run-phase" || verb == "skip-to" {
		words := strings.Fields(args)
		if len(words) != 2 {
			return "", &commands.UsageError{Problem: "Say which plan, and which of its phases.", Example: "!plan " + verb + " 7 phase-2"}
		}
		args, phase = words[0], planwork.PhaseID(words[1])
	}
	ref, err := onePlan(args)
	if err != nil {
		return "", err
	}
	o := planwork.Order{Ref: ref, Phase: phase, One: verb == "run-one", At: m.Place, Requester: m.Author.ID}
	answer, err := b.managed(ctx, verb, o)
	if err != nil {
		return sorry(err), nil
	}
	return answer, nil
}

// sorry is an error for people as the answer to an operator.
func sorry(err error) string { return chat.Capital(chat.ForOperators(err).Error()) + "." }

func (b *Bot) managed(ctx context.Context, verb string, o planwork.Order) (string, error) {
	work, g := b.core.planWork, o.At.Guild
	switch verb {
	case "run-one", "run-phase":
		p, first, err := work.Start(ctx, o)
		if err == nil && first.ID == "" {
			return fmt.Sprintf("Nothing is left to do: all phases of %s are over.", p.ID), nil
		}
		return fmt.Sprintf("Started %s of %s.", first.ID, p.ID), err
	case "skip":
		p, id, err := work.Skip(ctx, g, o.Ref)
		return fmt.Sprintf("Skipped %s of %s. %s", id, p.ID, whatIsLeft(p)), err
	case "skip-to":
		p, ids, err := work.SkipTo(ctx, g, o.Ref, o.Phase)
		if len(ids) == 0 {
			return fmt.Sprintf("Nothing had to be skipped for %s of %s. %s", o.Phase, p.ID, whatIsLeft(p)), err
		}
		return fmt.Sprintf("Skipped %s of %s. %s", chat.And(ids), p.ID, whatIsLeft(p)), err
	case "audit":
		p, err := work.Audit(ctx, o)
		return fmt.Sprintf("Auditing %s.", p.ID), err
	}
	return b.cancelPlan(ctx, o)
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

// cancelPlan stops the run of a plan, or sets a plan aside that was not approved.
func (b *Bot) cancelPlan(ctx context.Context, o planwork.Order) (string, error) {
	p, err := b.core.plans.Find(ctx, o.At.Guild, o.Ref)
	if err != nil {
		return "", err
	}
	if stopped := b.core.planWork.Cancel(o.At.Guild, plan.Running, p.ID, o.Requester); len(stopped) > 0 {
		return fmt.Sprintf("🛑 Stopped the run of %s. What its finished phases have committed stays; `!plan run %s` goes on.", p.ID, p.ID), nil
	}
	if p, err = b.core.plans.Cancel(ctx, o.At.Guild, o.Ref, o.Requester); err != nil {
		return "", err
	}
	return fmt.Sprintf("🛑 Cancelled %s. `!forge %s` reopens it.", p.ID, p.ID), nil
}
