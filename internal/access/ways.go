package access

import (
	"fmt"
	"slices"

	"discoclaw/internal/actions"
)

// A Way is a way in: a kind of event that reaches the bot. It is the one place for its name, the
// flow of its turns, the rule of that flow, and which users it admits.
type Way struct {
	Name string
	Flow actions.Flow // several ways may have one; they share its rule
	Rule Rule
	// Unattended ways need no known requester. Such a turn has no rights, and runs no action
	// that needs any.
	Unattended bool
	Bots       bool // for bots alone
	Everything bool // is meant for the bot, also where others must address it
}

func (w *Way) String() string { return w.Name }

// message is the rule of everything that people write to the bot.
var message = Rule{Open: true}

// The ways in.
var (
	ByMessage      = &Way{Name: "message", Flow: actions.FlowMessage, Rule: message}
	ByEdit         = &Way{Name: "edit", Flow: actions.FlowMessage, Rule: message} // of a message that is still queued
	ByThread       = &Way{Name: "thread", Flow: actions.FlowMessage, Rule: message}
	ByButton       = &Way{Name: "button", Flow: actions.FlowMessage, Rule: message}
	BySlashCommand = &Way{Name: "slash command", Flow: actions.FlowMessage, Rule: message}
	ByCommand      = &Way{Name: "command", Flow: actions.FlowCommand, Rule: message}           // an action without a model
	ByBacklog      = &Way{Name: "recovered backlog", Flow: actions.FlowMessage, Rule: message} // missed while the bot was offline

	// A decision, not an omission: a reaction is a person's act.
	ByReaction = &Way{Name: "reaction", Flow: actions.FlowReaction, Rule: Rule{Open: true}}

	ByDirectMessage = &Way{Name: "direct message", Flow: actions.FlowDM, Rule: Rule{Where: "in direct messages"}}
	ByBot           = &Way{Name: "trusted bot", Flow: actions.FlowTrustedBot, Bots: true, Rule: Rule{Where: "for other bots"}}

	ByDefer = &Way{Name: "defer", Flow: actions.FlowDefer, Rule: Rule{
		Where: "in follow-ups", Open: true,
		Off: []string{"memory", "defer"},
	}}
	ByCron = &Way{Name: "cron", Flow: actions.FlowCron, Unattended: true, Rule: Rule{
		Where: "in scheduled jobs", Open: true,
		Off: []string{"crons", "botProfile", "memory", "config", "defer", "reminders", "voice"},
	}}
	// What is heard in a call and not meant for the bot gets no further than package talk.
	ByVoice = &Way{Name: "voice", Flow: actions.FlowVoice, Everything: true, Rule: Rule{
		Where: "in voice turns", Open: true,
		Only:   []string{"messaging", "tasks", "memory", "reminders", "voice"},
		Types:  []string{"sendFile"},
		Nobody: &Rule{Where: "in voice turns of an unknown speaker"},
	}}

	// A program asks in a person's name, and what it has read is not known here. So it does not change the bot itself, starts no work of
	// models, and approves nothing.
	ByMCP = &Way{Name: "MCP", Flow: actions.FlowMCP, Rule: Rule{
		Where: "over MCP", Open: true,
		Off:   []string{"botProfile", "config", "defer", "forge"},
		Types: []string{"conversationSummary", "planApprove", "planRun", "reactionPrompt"},
	}}
)

// A Rule takes categories out of a flow, whatever the environment says. They are named by the
// category whose switch rules them. The zero Rule takes out everything, so that a new way in
// stays closed until its rule opens it.
type Rule struct {
	Where string   // completes "not available …"
	Open  bool     // actions run at all
	Off   []string // but none of these categories
	Only  []string // and none but these, if there are any
	Types []string // nor these types

	Nobody *Rule // what is taken out besides when the requester is unknown; nil means noRights
}

// noRights is what a turn without a known requester loses: there are no rights that could
// bound what it does to the server.
var noRights = Rule{
	Where: "when nobody is known to have asked", Open: true,
	Off: []string{"channels", "messaging", "guild", "moderation", "polls"},
}

// Narrowings returns what the flow and requester of a turn take out of its gate.
func Narrowings(ways []*Way, o actions.Origin) []actions.Narrowing {
	r := Rule{Where: fmt.Sprintf("in the flow %q, which has no rules yet", o.Flow)}
	if i := slices.IndexFunc(ways, func(w *Way) bool { return w.Flow == o.Flow }); i >= 0 {
		r = ways[i].Rule
	}
	narrow := []actions.Narrowing{r.narrow, actions.AtDepth(o.Depth)}
	switch {
	case o.Requester != "":
	case r.Nobody != nil:
		narrow = append(narrow, r.Nobody.narrow)
	default:
		narrow = append(narrow, noRights.narrow)
	}
	return narrow
}

func (r Rule) narrow(category string, a *actions.Action) (actions.Denial, string) {
	switch {
	case !r.Open:
		return actions.Strip, "all I can do " + r.Where + " is answer"
	case slices.Contains(r.Off, category), len(r.Only) > 0 && !slices.Contains(r.Only, category):
		name, verb := actions.InWords(category)
		return actions.Strip, fmt.Sprintf("%s %s not available %s", name, verb, r.Where)
	case slices.Contains(r.Types, a.Name):
		return actions.Strip, fmt.Sprintf("%s does not run %s", a.Name, r.Where)
	}
	return actions.Keep, ""
}
