package flow

import (
	"slices"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/turn/gather"
)

// An opening adds a source to the pipeline, and lists the ways in that lead to it.
type opening struct {
	open func(*Flows, Options) // nil for ways without a source here: buttons and MCP
	ways []*access.Way
}

// openings lists all ways in. A new one needs a line here, and a file of its own.
func openings() []opening {
	return []opening{
		{func(f *Flows, o Options) { f.messages = openMessages(f.deps, o) },
			[]*access.Way{access.ByMessage, access.ByEdit, access.ByThread, access.ByBacklog, access.ByDirectMessage, access.ByBot}},
		{func(f *Flows, o Options) { openContinuations(f.messages, o) }, nil},                                     // they go on with messages
		{func(f *Flows, _ Options) { f.redos = openRedos(f.messages) }, nil},                                      // they answer messages again
		{func(f *Flows, o Options) { f.commands = openCommands(f.messages, o) }, []*access.Way{access.ByCommand}}, // they come in as messages
		{func(f *Flows, o Options) { f.slash = openSlash(f.commands, o) }, []*access.Way{access.BySlashCommand}},
		{func(f *Flows, o Options) { f.reactions = openReactions(f.deps, o) }, []*access.Way{access.ByReaction}},
		{func(f *Flows, o Options) { f.deferred = openDeferred(f.deps, o) }, []*access.Way{access.ByDefer}},
		{func(f *Flows, o Options) { f.crons = openCrons(f.deps, o) }, []*access.Way{access.ByCron}},
		{func(f *Flows, _ Options) { f.away = openAway(f.deps) }, nil}, // it only tells people that messages stay unanswered
		{func(f *Flows, o Options) { f.voice = openVoice(f.messages, o) }, []*access.Way{access.ByVoice}},
		{nil, []*access.Way{access.ByButton, access.ByMCP}},
	}
}

// New returns flows with all sources opened, ready for events.
func New(o Options, p pipeline.Options) *Flows {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Work == nil {
		o.Work = noWork{}
	}
	f := &Flows{questions: o.Questions}
	p.Access, p.Report, p.Now, p.Log, p.Recovered = o.Access, o.Report, o.Now, o.Log, f.recovered
	o.Gather.Server, o.Gather.Access, o.Gather.Now, o.Gather.Log = o.Server, o.Access, o.Now, o.Log
	self := &gather.Self{Named: o.Name, Commands: o.Commands}
	f.deps = &deps{
		pipe: pipeline.New(p), router: &router{}, gather: gather.New(o.Gather, self), self: self,
		server: o.Server, inbox: p.Inbox, access: o.Access, registry: o.Registry, flags: o.Flags, ways: Ways(),
		dialects: o.Gather.Dialects, model: o.Model, tools: o.Tools, followUps: o.Gather.FollowUps,
		now: o.Now, report: o.Report, log: o.Log, addressedOnly: o.AddressedOnly, buttons: o.Buttons, catchUp: o.CatchUp, work: o.Work,
		talks: threadTalks{stored: o.Talks},
	}
	for _, opening := range openings() {
		if opening.open != nil {
			opening.open(f, o)
		}
	}
	f.answered = &answerButtons{deps: f.deps, past: o.Past, redos: f.redos}
	f.gaps = newGapReader(f.deps, f.away)
	f.directs = &directFinder{deps: f.deps, gaps: f.gaps}
	return f
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
