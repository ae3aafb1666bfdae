package flow

import (
	"slices"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
)

// An opening is where a source comes into the pipeline, with the ways in that lead to it.
type opening struct {
	open func(*Flows) // nil if there is no source: it is a button, or is not built yet
	ways []*access.Way
}

// openings are all ways in. A new one is a line here, and a file of its own.
func openings() []opening {
	return []opening{
		{openMessages, []*access.Way{access.ByMessage, access.ByEdit, access.ByThread, access.ByBacklog, access.ByDirectMessage, access.ByBot}},
		{openCommands, nil}, // they come in as messages
		{openSlash, []*access.Way{access.BySlashCommand}},
		{openReactions, []*access.Way{access.ByReaction}},
		{openDeferred, []*access.Way{access.ByDefer}},
		{nil, []*access.Way{access.ByButton, access.ByCron, access.ByVoice, access.ByWebhook, access.ByMCP}},
	}
}

// Ways are all ways in.
func Ways() (all []*access.Way) {
	for _, o := range openings() {
		all = append(all, o.ways...)
	}
	return all
}

// All are the flows of all ways in, for messages that list them.
func All() (flows []actions.Flow) {
	for _, w := range Ways() {
		if !slices.Contains(flows, w.Flow) {
			flows = append(flows, w.Flow)
		}
	}
	return flows
}

// Narrowings are what the origin of a turn takes out of its gate.
func Narrowings(o actions.Origin) []actions.Narrowing { return access.Narrowings(Ways(), o) }
