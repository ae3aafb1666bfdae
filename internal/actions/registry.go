package actions

import (
	"errors"
	"fmt"
	"iter"
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
