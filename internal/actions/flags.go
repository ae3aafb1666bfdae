package actions

import (
	"cmp"
	"errors"
	"maps"
	"strings"
)

// MasterSwitch is the variable that turns all actions off at once.
const MasterSwitch = "DISCOCLAW_DISCORD_ACTIONS"

// A Flag says which environment variable opens a category, and what else it needs.
type Flag struct {
	Env     string // e.g. DISCOCLAW_DISCORD_ACTIONS_CHANNELS
	Default bool
	Part    string        // the switch, on by default, of the part of the bot that the category acts on
	Shares  string        // the category whose switch opens this one too
	Always  bool          // open whenever the master switch is
	Needs   []Requirement // further variables, all of them required
}

// A Requirement is met when any one of its variables is set, or on.
type Requirement struct {
	AnyOf  []string
	Switch bool // the variables are on or off; otherwise it is enough that one is set
}

// An Environment has the switches. Bool returns fallback for a variable that is not set,
// and an error that names the variable for a value that is neither true nor false.
type Environment interface {
	Bool(name string, fallback bool) (bool, error)
	Has(name string) bool
}

// CategoryFlags are the switches by category. A category that is not in it is closed.
type CategoryFlags map[string]Switch

// A Switch is on, or it says why not and what would turn it on.
type Switch struct {
	On     bool
	Why    string // for everybody: "moderation is switched off here"
	Remedy string // for operators: "set DISCOCLAW_DISCORD_ACTIONS_MODERATION=1"
	always bool   // lets an action through that is Always
}

// FlagsFromEnv reads the switches of every category, so that a new category needs no edit
// to the configuration. The error lists every invalid value.
//
// The first flags are for what models ask for. The second are for what people ask for with commands, forum posts and cards: where a
// category acts on a part of the bot with a switch of its own, only that switch counts.
//
// While the master switch is off the other variables of models are ignored, invalid ones included;
// those that are on are returned as ignored, for a warning to the operator.
func FlagsFromEnv(env Environment, cats []Category) (models, people CategoryFlags, ignored []string, err error) {
	master, err := env.Bool(MasterSwitch, true)
	problems := []error{err}
	models, people = CategoryFlags{}, CategoryFlags{}
	for _, c := range cats {
		f, name := c.Flag(), c.Name()
		if SwitchOwner(c) != name {
			continue
		}
		sw := Switch{Why: "all actions are switched off here", Remedy: "set " + MasterSwitch + "=1"}
		if master {
			var wrong []error
			sw, wrong = f.read(env, name)
			problems = append(problems, wrong...)
		} else if on, err := env.Bool(f.Env, false); on && err == nil {
			ignored = append(ignored, f.Env)
		}
		models[name], people[name] = sw, sw
		if f.Part == "" {
			continue
		}
		switch on, err := env.Bool(f.Part, true); {
		case err != nil:
			problems = append(problems, err)
		case on:
			people[name] = Switch{On: true}
		default: // there is nothing that the actions could act on
			off := Switch{Why: offReason(name), Remedy: "set " + f.Part + "=1"}
			models[name] = off
			off.always = true
			people[name] = off
		}
	}
	for _, c := range cats {
		models[c.Name()], people[c.Name()] = models[SwitchOwner(c)], people[SwitchOwner(c)]
	}
	return models, people, ignored, errors.Join(problems...)
}

// ForCommands returns the flags of what people ask for with commands: only the switch of a part of the bot closes a category there,
// and what it needs to be set up.
func ForCommands(people CategoryFlags, cats []Category) CategoryFlags {
	flags := maps.Clone(people)
	for _, c := range cats {
		if f := c.Flag(); f.Part == "" && len(f.Needs) == 0 {
			flags[c.Name()] = Switch{On: true}
		}
	}
	return flags
}

// FlagsOf opens the categories for which on is true, by the name of their SwitchOwner.
func FlagsOf(cats []Category, on func(category string) bool) CategoryFlags {
	flags := CategoryFlags{}
	for _, c := range cats {
		sw := Switch{On: on(SwitchOwner(c))}
		if !sw.On {
			sw.Why = offReason(SwitchOwner(c))
		}
		flags[c.Name()] = sw
	}
	return flags
}

// read reads a category's switches, its own first. All its variables are read, so that an
// invalid value is found behind a switch that is off.
func (f Flag) read(env Environment, category string) (sw Switch, problems []error) {
	on := true
	if !f.Always {
		var err error
		if on, err = env.Bool(f.Env, f.Default); err != nil {
			problems = append(problems, err)
		}
	}
	sw.On = on
	if !on {
		sw.Why, sw.Remedy = offReason(category), "set "+f.Env+"=1"
		if f.Part != "" {
			sw.Why = told(category, "not mine to change here; people have commands for that")
		}
	}
	for _, need := range f.Needs {
		met, wrong := need.met(env)
		problems = append(problems, wrong...)
		if sw.On && !met {
			sw = Switch{Why: told(category, "not set up here"), Remedy: need.remedy()}
		}
	}
	return sw, problems
}

func offReason(category string) string { return told(category, "switched off here") }

// commonNames are what people call the categories whose names would not tell them enough, with the verb.
var commonNames = map[string]string{
	"channels":       "changes to channels are",
	"messaging":      "actions on messages are",
	"guild":          "actions on members, roles and events are",
	"moderation":     "moderation is",
	"polls":          "polls are",
	"reactionPrompt": "questions that are answered with a reaction are",
	"config":         "changes to my language model are",
	"botProfile":     "changes to my profile are",
	"defer":          "deferred work is",
	"reminders":      "reminders are",
	"memory":         "memories are",
	"voice":          "voice is",
	"imagegen":       "pictures are",
	"tasks":          "tasks are",
	"crons":          "scheduled jobs are",
	"utility":        "calculations are",
	"web":            "web search is",
	"plan":           "plans are",
	"forge":          "the forging of plans is",
}

// InWords is what people call a category, and the verb: "polls", "are".
func InWords(category string) (name, verb string) {
	words := cmp.Or(commonNames[category], category+" actions are")
	at := strings.LastIndex(words, " ")
	return words[:at], words[at+1:]
}

// told is a sentence about a category.
func told(category, what string) string {
	name, verb := InWords(category)
	return name + " " + verb + " " + what
}

func (r Requirement) met(env Environment) (met bool, problems []error) {
	for _, name := range r.AnyOf {
		if !r.Switch {
			met = met || env.Has(name)
			continue
		}
		on, err := env.Bool(name, false)
		if err != nil {
			problems = append(problems, err)
		}
		met = met || on
	}
	return met, problems
}

func (r Requirement) remedy() string {
	assignment := ""
	if r.Switch {
		assignment = "=1"
	}
	return "set " + strings.Join(r.AnyOf, assignment+" or ") + assignment
}
