package access

import "discoclaw/internal/actions"

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

// The ways in that there are, or will be.
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
		Where: "in deferred runs", Open: true,
		Off: []string{"memory", "defer"},
	}}
	ByCron = &Way{Name: "cron", Flow: actions.FlowCron, Unattended: true, Rule: Rule{
		Where: "in cron jobs", Open: true,
		Off: []string{"crons", "botProfile", "memory", "config", "defer", "reminders", "voice"},
	}}
	ByVoice = &Way{Name: "voice", Flow: actions.FlowVoice, Rule: Rule{
		Where: "in voice turns", Open: true,
		Only:   []string{"messaging", "tasks", "memory", "voice"},
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
