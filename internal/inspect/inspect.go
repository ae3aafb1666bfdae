// Package inspect shows what the bot can do and what it may do, without running it.
package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/actions/reference"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/flow"
	"discoclaw/internal/turn/prompt"
	"discoclaw/internal/workspace"
)

// Options are what an Inspector looks at.
type Options struct {
	Config    config.Config
	Registry  *actions.Registry
	Flags     actions.CategoryFlags // for what models ask for
	Dialects  dialect.List
	Native    bool // some models have actions as functions
	Workspace workspace.Options
	Name      func() string // returns the name of the bot; empty means that of Discord
	// Quote returns the section of a prompt that quotes the notes in the workspace.
	Quote func([]chat.Document) prompt.Known
}

// An Inspector answers questions about a bot.
type Inspector struct{ Options }

// New returns an Inspector.
func New(o Options) *Inspector { return &Inspector{o} }

// A Listing describes one action.
type Listing struct {
	Type        string   `json:"type"`
	Category    string   `json:"category"`
	Effect      string   `json:"effect"`
	Destructive bool     `json:"destructive"`
	Env         string   `json:"env"` // empty if only the master switch applies
	Default     bool     `json:"default"`
	Enabled     bool     `json:"enabled"`
	Permissions []string `json:"permissions"`
	Summary     string   `json:"summary"`
	*Judgement           // nil unless a flow was given
}

// A Judgement is the verdict of a flow's gate on an action.
type Judgement struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
}

// Flows returns the names of all flows.
func Flows() []string {
	var names []string
	for _, f := range flow.All() {
		names = append(names, string(f))
	}
	return append(names, byWebhook)
}

// byWebhook names the runs of scheduled jobs that a webhook was called for. Their turns are those of any job.
const byWebhook = "webhook"

// List describes every action, with the verdict of a flow if one is given.
func (i *Inspector) List(flowName *string) ([]Listing, error) {
	var gate actions.Gate
	if flowName != nil {
		var err error
		if gate, err = i.Gate(*flowName); err != nil {
			return nil, err
		}
	}
	var all []Listing
	for cat, a := range i.Registry.All() {
		l := i.listing(cat, a)
		if flowName != nil {
			v := gate.Verdict(a.Name)
			l.Judgement = &Judgement{Verdict: v.Decision.String(), Reason: v.Reason()}
		}
		all = append(all, l)
	}
	return all, nil
}

func (i *Inspector) listing(cat actions.Category, a *actions.Action) Listing {
	flag := cat.Flag()
	for _, other := range i.Registry.Categories() {
		if other.Name() == actions.SwitchOwner(cat) {
			flag = other.Flag()
		}
	}
	l := Listing{
		Type:        a.Name,
		Category:    cat.Name(),
		Effect:      "mutate",
		Destructive: a.Destructive,
		Env:         flag.Env,
		Default:     flag.Default || flag.Always,
		Enabled:     i.Flags[cat.Name()].On,
		Permissions: []string{},
		Summary:     a.Summary,
	}
	if a.Effect == actions.Queries {
		l.Effect = "query"
	}
	for _, p := range a.Permissions() {
		l.Permissions = append(l.Permissions, string(p))
	}
	return l
}

// Gate returns the gate of a turn in this flow, as far as the environment decides it. The requester
// counts as known: only a job without a known author has none.
func (i *Inspector) Gate(flowName string) (actions.Gate, error) {
	if !slices.Contains(Flows(), flowName) {
		return actions.Gate{}, config.Mistakef("--flow: %q is not one of %s", flowName, strings.Join(Flows(), ", "))
	}
	origin := actions.Origin{Flow: actions.Flow(flowName), Requester: "somebody"}
	if flowName == byWebhook {
		origin.Flow = actions.FlowCron
	}
	return i.Registry.Gate(i.Flags, flow.Narrowings(origin)...), nil
}

// Why says in a sentence whether an action may run in a flow, and why not.
func (i *Inspector) Why(typeName, flowName string) (string, error) {
	gate, err := i.Gate(flowName)
	if err != nil {
		return "", err
	}
	action, err := i.lookup(typeName)
	if err != nil {
		return "", err
	}
	where := flowPhrase(actions.Flow(flowName))
	asks := action.Destructive && i.Config.Actions.Confirm != "off"
	hooked := flowName == byWebhook && action.Effect != actions.Queries
	switch v := gate.Verdict(typeName); {
	case v.Decision != actions.Allowed:
		return fmt.Sprintf("%s may not run %s: %s.", typeName, where, v.Reason()), nil
	case asks && flowName == string(actions.FlowMCP) && i.Config.MCP.Channel == "":
		return fmt.Sprintf("%s may not run %s: it needs approval, and there is no channel to ask in; set DISCOCLAW_MCP_CHANNEL.", typeName, where), nil
	case hooked && i.Config.Actions.Taint == "refuse":
		return fmt.Sprintf("%s may not run %s: the body of the call is outside text; DISCOCLAW_TAINT=confirm asks people instead.", typeName, where), nil
	case hooked && (asks || i.Config.Actions.Taint != "off"):
		return fmt.Sprintf("%s may run %s, after approval on a card unless the job's allowedActions names it.", typeName, where), nil
	case asks:
		return fmt.Sprintf("%s may run %s, after approval on a card.", typeName, where), nil
	}
	return fmt.Sprintf("%s may run %s.", typeName, where), nil
}

// flowPhrase says in plain words what begins a turn of a flow.
func flowPhrase(f actions.Flow) string {
	switch f {
	case actions.FlowDM:
		return "for direct messages"
	case actions.FlowTrustedBot:
		return "for other bots"
	case actions.FlowReaction:
		return "for reactions"
	case actions.FlowDefer:
		return "in deferred runs"
	case actions.FlowCron:
		return "in scheduled jobs"
	case actions.FlowVoice:
		return "in voice turns"
	case byWebhook:
		return "in scheduled jobs that a webhook runs"
	case actions.FlowMCP:
		return "over MCP"
	case actions.FlowCommand:
		return "for commands"
	}
	return "for messages"
}

func (i *Inspector) lookup(typeName string) (*actions.Action, error) {
	a, ok := i.Registry.Lookup(typeName)
	if ok {
		return a, nil
	}
	var names []string
	for _, a := range i.Registry.All() {
		names = append(names, a.Name)
	}
	if meant := config.Nearest(typeName, names); meant != "" {
		return nil, config.Mistakef("there is no action %q; did you mean %s?", typeName, meant)
	}
	return nil, config.Mistakef("there is no action %q; \"discoclaw actions list\" shows all", typeName)
}

// Schema returns the JSON Schema of one action's fields.
func (i *Inspector) Schema(typeName string) (json.RawMessage, error) {
	a, err := i.lookup(typeName)
	if err != nil {
		return nil, err
	}
	return a.JSONSchema(), nil
}

// Schemas returns the JSON Schemas of all actions by type.
func (i *Inspector) Schemas() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, a := range i.Registry.All() {
		all[a.Name] = a.JSONSchema()
	}
	return all
}

// Prompt returns what the prompt of a flow teaches about actions: to models that have them as functions, if the settings
// say that some have.
func (i *Inspector) Prompt(flowName string) (string, error) {
	gate, err := i.Gate(flowName)
	if err != nil {
		return "", err
	}
	taught := reference.Blocks(gate, i.Config.Actions.FollowUps == 0)
	if i.Native {
		taught = reference.Functions(gate)
	}
	return strings.Trim(taught+"\n\n"+i.Dialects.Teach(gate), "\n"), nil
}

// Dialects returns the dialects with these names, in which a model may write requests, besides blocks.
func Dialects(a config.Actions, r *actions.Registry, names string) (dialect.List, error) {
	return dialect.Options{Setting: names, Position: string(a.Position), Like: a.Like, Named: r.Named}.List()
}

// ParseOptions replace parts of the environment in Parse.
type ParseOptions struct {
	Flags map[string]bool // by category; nil means the environment's
	Allow *[]string       // the types to accept; nil means all
	// Dialects are those besides blocks, as in DISCOCLAW_ACTION_DIALECTS; nil means the environment's.
	Dialects *string
}

// A ParseResult is the outcome of parsing and gating an answer of the model.
type ParseResult struct {
	CleanText string                       `json:"cleanText"`
	Actions   []map[string]json.RawMessage `json:"actions"`
	Stripped  []string                     `json:"strippedUnrecognizedTypes"`
	Failures  int                          `json:"parseFailures"`
	Control   dialect.Control              `json:"control"`
}

// Parse parses an answer of the model as a message turn would, and executes nothing.
func (i *Inspector) Parse(text string, o ParseOptions) (ParseResult, error) {
	flags := i.Flags
	if o.Flags != nil {
		flags = actions.FlagsOf(i.Registry.Categories(), func(name string) bool { return o.Flags[name] })
	}
	var narrow []actions.Narrowing
	if o.Allow != nil {
		narrow = append(narrow, actions.Only(*o.Allow, "not in the list of allowed actions"))
	}
	gate := i.Registry.Gate(flags, narrow...)
	dialects := i.Dialects
	if o.Dialects != nil {
		var err error
		if dialects, err = Dialects(i.Config.Actions, i.Registry, cmp.Or(*o.Dialects, "none")); err != nil {
			return ParseResult{}, config.Mistakef("--dialects: %v", err)
		}
	}
	parsed := dialects.Parser(gate).Parse(text)
	try, stripped := gate.Split(parsed.Requests)
	res := ParseResult{
		CleanText: parsed.Text,
		Actions:   []map[string]json.RawMessage{},
		Stripped:  append(append([]string{}, stripped...), parsed.Stripped...),
		Failures:  parsed.Failures(),
		Control:   parsed.Control,
	}
	for _, r := range try {
		var members map[string]json.RawMessage // of those with the same name, the last
		if err := json.Unmarshal(r.Args, &members); err != nil {
			return ParseResult{}, fmt.Errorf("print %s: %w", r.Type, err)
		}
		res.Actions = append(res.Actions, members)
	}
	return res, nil
}
