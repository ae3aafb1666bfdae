package app

import (
	"context"
	"strings"

	"discoclaw/internal/actions/forging"
	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/plan/doc"
	planwork "discoclaw/internal/plan/work"
)

const forgeHelp = "**Forge**: models write a plan, audit it, and revise it until nothing grave is left. You approve it.\n" +
	"`!forge <description>`: have a plan written; in a reply, the message that you reply to is read, too\n" +
	"`!forge <plan> [what should change]`: have a plan revised and audited that is not approved\n" +
	"`!forge status`: show what is being done\n" +
	"`!forge cancel`: stop it; `!forge <plan>` goes on with it\n" +
	"`!forge audit <plan>`: have a plan audited as it is"

// forgeCommand returns !forge, which has plans written.
func (b *Bot) forgeCommand() commands.Command {
	return commands.Command{
		Name: "forge", Args: "[<description> | <plan> <what should change> | status | cancel | audit <plan> | help]",
		Summary: "Have models write a plan for changing a project, audit it and revise it.", Operator: true, Where: commands.OnServers, Off: b.partOff("forge"), Run: b.forge,
		Options: []commands.Option{
			{Name: "what", Summary: "What to do; to write or revise a plan, leave it out.", Choices: []string{"status", "cancel", "audit", "help"}},
			{Name: "plan", Summary: "Which plan to go on with or to audit, by its ID.", Complete: b.openPlanIDs},
			{Name: "text", Summary: "What is to change in the project, or in the plan."},
		},
	}
}

func (b *Bot) forge(ctx context.Context, m chat.Message, args string) (string, error) {
	first, rest := commands.CutWords(strings.TrimSpace(args), 1)
	first = strings.TrimSpace(first)
	switch verb := strings.ToLower(first); {
	case verb == "" || verb == "help" && rest == "":
		return forgeHelp, nil
	case verb == "status" && rest == "":
		return b.answerWith(ctx, m, "forgeStatus", struct{}{}, "")
	case verb == "cancel" && rest == "":
		return b.answerWith(ctx, m, "forgeCancel", struct{}{}, "")
	case verb == "audit" && len(strings.Fields(rest)) <= 1:
		ref, err := onePlan(rest)
		if err != nil {
			return "", err
		}
		answer, err := b.managed(ctx, verb, planwork.Order{Ref: ref, At: m.Place, Requester: m.Author.ID})
		if err != nil {
			answer = sorry(err)
		}
		return answer, nil
	case b.meansPlan(ctx, m, first, rest):
		return b.answerWith(ctx, m, "forgeResume", forging.Resume{PlanID: first, Wish: rest}, "")
	}
	return b.forgeNew(ctx, m, args)
}

// meansPlan reports whether the first word of a command names a plan. What looks like the ID of one is never a description: a plan of a
// wrong number must not become a new one.
func (b *Bot) meansPlan(ctx context.Context, m chat.Message, first, rest string) bool {
	if _, err := doc.ParseID(first); err == nil {
		return true
	}
	if rest != "" {
		return false
	}
	_, err := b.core.plans.Find(ctx, m.Place.Guild, first) // it may be the ID of its task
	return err == nil
}

// forgeNew has a new plan written.
func (b *Bot) forgeNew(ctx context.Context, m chat.Message, args string) (string, error) {
	asked, err := b.planSubject(ctx, m, args)
	if err != nil {
		return "", err
	}
	return b.answerAfter(ctx, m, asked.outside, "forgeCreate", planact.Create{Description: asked.description, Context: asked.context, Project: asked.project}, "")
}
