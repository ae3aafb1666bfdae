// Package actions is the core that checks, executes once and reports the requests of a
// model.
//
// It knows what an action, a gate and an outcome are. It does not know Discord,
// any category, or how requests are written: those are the packages beside it.
//
// The way of one request: a dialect finds a [Request] in the model's text;
// [Gate.Split] removes what may not be tried; [Dispatcher.Execute] decodes and runs the
// rest; [Lines] and [FollowUp] make the reports to the user and the model. The Gate is
// computed before the model is asked, and the prompt is rendered from the same Gate, so
// exactly the advertised actions can run.
package actions

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"unicode"
)

// A Registry holds every action the bot has. It does not change after NewRegistry.
type Registry struct {
	categories []Category
	entries    []entry // grouped by category, in the order of the list
	byName     map[string]int
	byAnyName  map[string]string // folded name or alias to the name
}

// An entry is an action of the registry.
type entry struct {
	action   *Action
	category int    // index into categories
	owner    string // of the category
}

// NewRegistry collects the actions of cats. It fails if two of them share a name or an
// alias, or if a definition is flawed, and reports all problems at once.
func NewRegistry(cats ...Category) (*Registry, error) {
	r := &Registry{categories: cats, byName: map[string]int{}, byAnyName: map[string]string{}}
	problems := checkCategories(cats)
	owners := map[string]string{} // folded name to its action
	for i, c := range cats {
		for _, a := range c.Actions() {
			if a.input == nil {
				problems = append(problems, fmt.Errorf("action %s was not made by Define", a.Name))
				continue
			}
			for _, flaw := range a.flaws {
				problems = append(problems, fmt.Errorf("action %s: %w", a.Name, flaw))
			}
			problems = append(problems, claim(owners, c, a)...)
			r.byName[a.Name] = len(r.entries)
			for _, name := range append([]string{a.Name}, a.Aliases...) {
				r.byAnyName[FoldName(name)] = a.Name
			}
			r.entries = append(r.entries, entry{action: a, category: i, owner: SwitchOwner(c)})
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return r, nil
}

// Check reports mistakes in the inputs, examples and sentences of actions, which are read only when they are needed. It is for tests.
func (r *Registry) Check() error {
	var problems []error
	for _, e := range r.entries {
		_, err := e.action.input()
		if err == nil {
			_, err = e.action.examples()
		}
		if err == nil {
			err = e.action.checkSentence()
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("action %s: %w", e.action.Name, err))
		}
	}
	return errors.Join(problems...)
}

// claim enters a's names into owners, compared as dialects compare them.
func claim(owners map[string]string, c Category, a *Action) (problems []error) {
	self := fmt.Sprintf("%s of %s", a.Name, c.Name())
	for _, name := range append([]string{a.Name}, a.Aliases...) {
		key := FoldName(name)
		if other, taken := owners[key]; taken {
			problems = append(problems, fmt.Errorf("two actions answer to %s, or one does twice: %s and %s", name, other, self))
		}
		owners[key] = self
	}
	return problems
}

// FoldName makes CHANNEL_LIST, channel-list and channelList the same.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Categories returns all categories in their order.
func (r *Registry) Categories() []Category { return r.categories }

// All yields every action with its category, in their order.
func (r *Registry) All() iter.Seq2[Category, *Action] {
	return func(yield func(Category, *Action) bool) {
		for _, e := range r.entries {
			if !yield(r.categories[e.category], e.action) {
				return
			}
		}
	}
}

// Lookup finds an action by its exact name.
func (r *Registry) Lookup(name string) (*Action, bool) {
	i, ok := r.byName[name]
	if !ok {
		return nil, false
	}
	return r.entries[i].action, true
}

// Named returns the exact name of the action that a name or an alias means. Case, hyphens, underscores and blanks
// make no difference, but a part of a name means nothing.
func (r *Registry) Named(name string) (exact string, ok bool) {
	exact, ok = r.byAnyName[FoldName(name)]
	return exact, ok
}

// CategoryOf names the category of an action; empty for an unknown one.
func (r *Registry) CategoryOf(name string) string {
	i, ok := r.byName[name]
	if !ok {
		return ""
	}
	return r.categories[r.entries[i].category].Name()
}

// A Category is a named group of actions behind one switch.
type Category interface {
	Name() string
	Flag() Flag
	Actions() []*Action
}

// SwitchOwner is the name of the category whose switch opens c: its own, or the one it
// shares. Rules of flows name categories by it.
func SwitchOwner(c Category) string {
	if shared := c.Flag().Shares; shared != "" {
		return shared
	}
	return c.Name()
}

// The interfaces below are optional, so that the smallest category stays small.

// Documented adds prose about the category to the reference page, which no model reads.
type Documented interface{ ForReference() string }

// Ruled adds a rule for models to every prompt in which one of the category's actions may run, and to the reference page. Each turn
// pays for it, and the category may be open in part, so it names no types.
type Ruled interface{ Rule() string }

// An Unavailable category may be switched on but lack the backend of some of its actions. The reason is for people, and the remedy
// names the setting to change; an empty reason means that the action is available. It is called for every gate.
type Unavailable interface {
	Unavailable(action string) (why, remedy string)
}

// A Rewriter takes over requests of a type that is closed, because that type used to mean
// one of its own. The result goes through the gate like any other request.
type Rewriter interface {
	Rewrite(Request) (Request, bool)
}

var planID = regexp.MustCompile(`(?i)^plan-\d+$`)

// PlanCloseOfTask makes a planClose that names a task what it was before there were plans.
func PlanCloseOfTask(r Request) (Request, bool) {
	var in map[string]any
	if r.Type != "planClose" || json.Unmarshal(r.Args, &in) != nil {
		return r, false
	}
	id, _ := in["planId"].(string)
	id = strings.TrimSpace(id)
	if id == "" || planID.MatchString(id) {
		return r, false
	}
	args, err := json.Marshal(map[string]string{"type": "taskClose", "taskId": id})
	return Request{Type: "taskClose", Args: args, Dialect: r.Dialect}, err == nil
}

// checkCategories finds names and switches that two categories share by mistake.
func checkCategories(cats []Category) (problems []error) {
	complain := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	flags := map[string]Flag{}
	rules := map[string]string{MasterSwitch: "the master switch"} // variable to its owner
	for _, c := range cats {
		name, flag := c.Name(), c.Flag()
		if _, taken := flags[name]; taken {
			complain("two categories are called %s", name)
		}
		flags[name] = flag
		if flag.Always || flag.Shares != "" {
			continue
		}
		if other, taken := rules[flag.Env]; taken {
			complain("category %s: its switch %s is also that of %s", name, flag.Env, other)
		}
		rules[flag.Env] = name
	}
	for _, c := range cats {
		shared := c.Flag().Shares
		if other, ok := flags[shared]; shared != "" && (!ok || other.Shares != "") {
			complain("category %s shares the switch of %s, which has none of its own", c.Name(), shared)
		}
	}
	return problems
}
