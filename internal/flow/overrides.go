package flow

import (
	"fmt"
	"slices"

	"discoclaw/internal/actions"
)

// A rule takes categories out of a flow, whatever the environment says. They are
// named by the category whose switch rules them.
type rule struct {
	where string   // completes "… do not run"
	off   []string // these categories
	only  []string // all but these categories, if there are any
	types []string // these types besides
	all   bool     // everything

	nobody *rule // what goes besides when nobody is known to have asked; nil means noRights
}

// overrides is the whole of the flows' policy. A flow without a row may do
// nothing, so that a new way in is closed until someone decides.
var overrides = map[actions.Flow]rule{
	actions.FlowMessage:  {},
	actions.FlowReaction: {}, // a decision, not an omission: a reaction is a person's act
	actions.FlowCron: {
		where: "in cron jobs",
		off:   []string{"crons", "botProfile", "memory", "config", "defer", "voice"},
	},
	actions.FlowDefer: {
		where: "in deferred runs",
		off:   []string{"memory", "defer"},
	},
	actions.FlowVoice: {
		where:  "in voice turns",
		only:   []string{"messaging", "tasks", "memory", "voice"},
		types:  []string{"sendFile"},
		nobody: &rule{where: "in voice turns of an unknown speaker", all: true},
	},
	actions.FlowTrustedBot: {where: "for other bots", all: true},
	actions.FlowDM:         {where: "in direct messages", all: true},
	actions.FlowWebhook:    {where: "for webhooks", all: true},
	actions.FlowMCP:        {where: "over MCP", all: true},
}

// noRights is what a turn loses when nobody is known to have asked for it: nobody's
// rights could bound what it does to the server.
var noRights = rule{
	where: "when nobody is known to have asked",
	off:   []string{"channels", "messaging", "guild", "moderation", "polls"},
}

// All are all ways in, for messages that list them.
func All() []actions.Flow {
	return []actions.Flow{
		actions.FlowMessage, actions.FlowReaction, actions.FlowCron, actions.FlowDefer,
		actions.FlowVoice, actions.FlowTrustedBot, actions.FlowDM, actions.FlowWebhook, actions.FlowMCP,
	}
}

// Narrowings are what the origin of a turn takes out of its gate.
func Narrowings(o actions.Origin) []actions.Narrowing {
	r, ok := overrides[o.Flow]
	if !ok {
		r = rule{where: fmt.Sprintf("in the flow %q, which has no rules yet", o.Flow), all: true}
	}
	narrow := []actions.Narrowing{r.narrow, actions.AtDepth(o.Depth)}
	switch {
	case o.Requester != "":
	case r.nobody != nil:
		narrow = append(narrow, r.nobody.narrow)
	default:
		narrow = append(narrow, noRights.narrow)
	}
	return narrow
}

func (r rule) narrow(category string, a *actions.Action) (actions.Denial, string) {
	switch {
	case r.all:
		return actions.Strip, "actions do not run " + r.where
	case slices.Contains(r.off, category), len(r.only) > 0 && !slices.Contains(r.only, category):
		return actions.Strip, fmt.Sprintf("%s actions do not run %s", category, r.where)
	case slices.Contains(r.types, a.Name):
		return actions.Strip, fmt.Sprintf("%s does not run %s", a.Name, r.where)
	}
	return actions.Keep, ""
}
