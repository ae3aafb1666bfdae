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
}

// An entry is an action in its place.
type entry struct {
	action   *Action
	category int    // index into categories
	ruler    string // of the category
}

// NewRegistry collects the actions of cats. It fails if two of them share a name
// or an alias, or if a definition is flawed, and reports all of it at once.
func NewRegistry(cats ...Category) (*Registry, error) {
	r := &Registry{categories: cats, byName: map[string]int{}}
	problems := []error{checkNames(cats)}
	owners := map[string]string{}
	for i, c := range cats {
		for _, a := range c.Actions() {
			problems = append(problems, a.claim(owners))
			r.byName[a.Name] = len(r.entries)
			r.entries = append(r.entries, entry{action: a, category: i, ruler: Ruler(c)})
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return r, nil
}

// checkNames refuses two categories of one name, and one that shares the switch
// of a category that is not there or has none of its own.
func checkNames(cats []Category) error {
	var problems []error
	flags := map[string]Flag{}
	for _, c := range cats {
		if _, taken := flags[c.Name()]; taken {
			problems = append(problems, fmt.Errorf("two categories are called %s", c.Name()))
		}
		flags[c.Name()] = c.Flag()
	}
	for _, c := range cats {
		shared := c.Flag().Shares
		if other, ok := flags[shared]; shared != "" && (!ok || other.Shares != "") {
			problems = append(problems, fmt.Errorf("category %s shares the switch of %s, which has none of its own", c.Name(), shared))
		}
	}
	return errors.Join(problems...)
}

// claim enters a's names into owners, compared as dialects compare them.
func (a *Action) claim(owners map[string]string) error {
	var problems []error
	if a.flaw != nil {
		problems = append(problems, fmt.Errorf("action %s: %w", a.Name, a.flaw))
	}
	for _, name := range append([]string{a.Name}, a.Aliases...) {
		key := foldName(name)
		if other, taken := owners[key]; taken {
			problems = append(problems, fmt.Errorf("actions %s and %s both answer to %s", other, a.Name, name))
		}
		owners[key] = a.Name
	}
	return errors.Join(problems...)
}

// foldName makes CHANNEL_LIST, channel-list and channelList the same.
func foldName(name string) string {
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

func isNotWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
