package actions

import (
	"errors"
	"fmt"
	"strings"
)

// MasterSwitch is the variable that turns all actions off at once.
const MasterSwitch = "DISCOCLAW_DISCORD_ACTIONS"

// A Flag says which environment variable opens a category, and what else it needs.
type Flag struct {
	Env     string // e.g. DISCOCLAW_DISCORD_ACTIONS_CHANNELS
	Default bool
	Shares  string        // the category whose switch rules this one too
	Always  bool          // open whenever the master switch is
	Needs   []Requirement // further variables, all of them required
}

// A Requirement is met when any one of its variables is.
type Requirement struct {
	AnyOf   []string
	Switch  bool // the variables are on or off; otherwise it is enough that one is set
	Default bool // how a switch that is not set counts
}

// An Environment answers what switches ask of it. Bool returns fallback for a
// variable that is not set, and an error that names the variable for a value that
// is neither true nor false.
type Environment interface {
	Bool(name string, fallback bool) (bool, error)
	Has(name string) bool
}

// CategoryFlags is the switchboard: by category, whether it is open. A category
// that is not in it is closed.
type CategoryFlags map[string]Switch

// A Switch is on, or it says why not and what would turn it on.
type Switch struct {
	On     bool
	Why    string // e.g. "the moderation actions are off"
	Remedy string // e.g. "set DISCOCLAW_DISCORD_ACTIONS_MODERATION=1"
}

// FlagsFromEnv asks the environment about every category, so that a new category
// needs no edit to the configuration. While the master switch is off the other
// variables have no effect; those that were set to on are returned as ignored, to
// be told to the operator. The error lists every bad value.
func FlagsFromEnv(env Environment, cats []Category) (flags CategoryFlags, ignored []string, err error) {
	var problems []error
	master, err := env.Bool(MasterSwitch, true)
	problems = append(problems, err)

	flags = CategoryFlags{}
	for _, c := range cats {
		f := c.Flag()
		if Ruler(c) != c.Name() {
			continue
		}
		sw, err := f.read(env, c.Name())
		problems = append(problems, err)
		if !master {
			if sw.On && f.Env != "" && env.Has(f.Env) {
				ignored = append(ignored, f.Env)
			}
			sw = Switch{Why: "all actions are off", Remedy: "set " + MasterSwitch + "=1"}
		}
		flags[c.Name()] = sw
	}
	for _, c := range cats {
		flags[c.Name()] = flags[Ruler(c)]
	}
	return flags, ignored, errors.Join(problems...)
}

// FlagsOf opens the categories for which on says so, by the name of the category
// whose switch rules them.
func FlagsOf(cats []Category, on func(category string) bool) CategoryFlags {
	flags := CategoryFlags{}
	for _, c := range cats {
		sw := Switch{On: on(Ruler(c))}
		if !sw.On {
			sw.Why = fmt.Sprintf("the %s actions are off", Ruler(c))
		}
		flags[c.Name()] = sw
	}
	return flags
}

func (f Flag) read(env Environment, category string) (Switch, error) {
	if !f.Always {
		on, err := env.Bool(f.Env, f.Default)
		if err != nil || !on {
			return Switch{
				Why:    fmt.Sprintf("the %s actions are off", category),
				Remedy: "set " + f.Env + "=1",
			}, err
		}
	}
	for _, need := range f.Needs {
		met, err := need.met(env)
		if err != nil || !met {
			return Switch{
				Why:    fmt.Sprintf("the %s actions are not set up", category),
				Remedy: need.remedy(),
			}, err
		}
	}
	return Switch{On: true}, nil
}

func (r Requirement) met(env Environment) (bool, error) {
	var problems []error
	met := false
	for _, name := range r.AnyOf {
		if !r.Switch {
			met = met || env.Has(name)
			continue
		}
		on, err := env.Bool(name, r.Default)
		problems = append(problems, err)
		met = met || on
	}
	return met, errors.Join(problems...)
}

func (r Requirement) remedy() string {
	assignment := ""
	if r.Switch {
		assignment = "=1"
	}
	return "set " + strings.Join(r.AnyOf, assignment+" or ") + assignment
}
