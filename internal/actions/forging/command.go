package forging

import (
	"context"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/plan/doc"
)

const help = "**Forge**: models write a plan, audit it, and revise it until nothing grave is left. You approve it.\n" +
	"`!forge <description>`: have a plan written; in a reply, the message that you reply to is read, too\n" +
	"`!forge <plan> [what should change]`: have a plan revised and audited that is not approved\n" +
	"`!forge status`: show what is being done\n" +
	"`!forge cancel`: stop it; `!forge <plan>` goes on with it\n" +
	"`!forge audit <plan>`: have a plan audited as it is"

// Commands implements [commands.Commander]: !forge has plans written.
func (c *Category) Commands() []commands.Command {
	return []commands.Command{{
		Name: "forge", Args: "[<description> | <plan> <what should change> | status | cancel | audit <plan> | help]",
		Summary: "Have models write a plan for changing a project, audit it and revise it.", Operator: true, Where: commands.OnServers,
		Choose: c.choose,
		Verbs: []commands.Verb{
			{Name: "new", Type: "forgeCreate", Read: c.plans.Subject},
			{Name: "resume", Type: "forgeResume"},
			{Name: "status", Type: "forgeStatus"},
			{Name: "cancel", Type: "forgeCancel"},
			{Name: "audit", Run: c.plans.Audit()},
			{Name: "help", Run: func(context.Context, chat.Message, string) (string, error) { return help, nil }},
		},
		Options: []commands.Option{
			{Name: commands.What, Summary: "What to do; to write or revise a plan, leave it out.", Choices: []string{"status", "cancel", "audit", "help"}},
			{Name: "plan", Summary: "Which plan to go on with or to audit, by its ID.", Complete: c.plans.OpenIDs},
			{Name: "text", Summary: "What is to change in the project, or in the plan."},
		},
	}}
}

// choose takes for a description what is neither a whole verb nor names a plan: "cancel the newsletter".
func (c *Category) choose(ctx context.Context, m chat.Message, args string) (verb, text string) {
	first, rest := commands.CutWords(args, 1)
	switch verb := strings.ToLower(first); {
	case verb == "":
		return "help", ""
	case rest == "" && (verb == "help" || verb == "status" || verb == "cancel"), verb == "audit" && len(strings.Fields(rest)) <= 1:
		return verb, rest
	case c.meansPlan(ctx, m, first, rest):
		return "resume", args
	}
	return "new", args
}

// meansPlan reports whether the first word of a command names a plan. What looks like the ID of one is never a description: a plan of a
// wrong number must not become a new one.
func (c *Category) meansPlan(ctx context.Context, m chat.Message, first, rest string) bool {
	if _, err := doc.ParseID(first); err == nil {
		return true
	}
	if rest != "" {
		return false
	}
	_, err := c.work.Plans.Find(ctx, m.Place.Guild, first) // it may be the ID of its task
	return err == nil
}
