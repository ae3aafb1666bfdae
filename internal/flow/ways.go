package flow

import (
	"slices"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
)

// An opening adds a source to the pipeline, and lists the ways in that lead to it.
type opening struct {
	open func(*Flows, Options) // nil if the ways have no source: buttons, and what is not built yet
	ways []*access.Way
}

// openings lists all ways in. A new one needs a line here, and a file of its own.
func openings() []opening {
	return []opening{
		{openMessages, []*access.Way{access.ByMessage, access.ByEdit, access.ByThread, access.ByBacklog, access.ByDirectMessage, access.ByBot}},
		{openContinuations, nil},                        // they go on with messages
		{openRedos, nil},                                // they answer messages again
		{openCommands, []*access.Way{access.ByCommand}}, // they come in as messages
		{openSlash, []*access.Way{access.BySlashCommand}},
		{openReactions, []*access.Way{access.ByReaction}},
		{openDeferred, []*access.Way{access.ByDefer}},
		{openCrons, []*access.Way{access.ByCron}},
		{openAway, nil}, // it only tells people that messages stay unanswered
		{nil, []*access.Way{access.ByButton, access.ByVoice, access.ByMCP}},
	}
}

// Ways returns all ways in.
func Ways() (all []*access.Way) {
	for _, o := range openings() {
		all = append(all, o.ways...)
	}
	return all
}

// All returns the flows of all ways in, for messages that list them.
func All() (flows []actions.Flow) {
	for _, w := range Ways() {
		if !slices.Contains(flows, w.Flow) {
			flows = append(flows, w.Flow)
		}
	}
	return flows
}

// Narrowings returns what the gate of a turn excludes because of its origin.
func Narrowings(o actions.Origin) []actions.Narrowing { return access.Narrowings(Ways(), o) }
