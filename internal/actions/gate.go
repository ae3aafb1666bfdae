package actions

import (
	"iter"
	"slices"
)

// A Decision is a gate's on a type. The zero value lets nothing through.
type Decision uint8

const (
	Stripped Decision = iota // never tried; one notice names the type and the remedy
	Refused                  // answered with a Failed line
	Allowed                  // tried, and advertised
)

func (d Decision) String() string {
	switch d {
	case Allowed:
		return "allowed"
	case Refused:
		return "refused"
	default:
		return "stripped"
	}
}

// A Verdict is a Decision with its grounds.
type Verdict struct {
	Decision Decision
	Why      string // empty when allowed
	Remedy   string // what would change it, if anything would

	cause cause
}

// Reason joins why and remedy, for people.
func (v Verdict) Reason() string {
	if v.Remedy == "" {
		return v.Why
	}
	return v.Why + "; " + v.Remedy
}

// cause distinguishes notices.
type cause uint8

const (
	none        cause = iota // allowed, or refused
	unknownType              // there is no such action
	switchedOff              // by the environment
	blocked                  // by a narrowing
)

// A Denial is a Narrowing's decision on an action. There is no value that means "allow", so
// a Narrowing cannot add anything to a gate.
type Denial uint8

const (
	Keep   Denial = iota // no opinion
	Strip                // take it out of this gate
	Refuse               // leave it in, and answer with the reason
)

// A Narrowing may take an action out of a gate, with a reason. Category is the SwitchOwner
// of the action.
type Narrowing func(category string, a *Action) (Denial, string)

// A Gate is what may run in one turn. It is computed before the model is asked,
// never from its answer. The zero Gate is closed. Gates are safe for concurrent use.
type Gate struct {
	reg      *Registry
	verdicts []Verdict // by the registry's order
}

// Gate decides on every action by the switches and the narrowings. A closed switch comes
// first; of the narrowings, Strip wins over Refuse. An action that Helps follows the others.
func (r *Registry) Gate(flags CategoryFlags, narrow ...Narrowing) Gate {
	g := Gate{reg: r, verdicts: make([]Verdict, len(r.entries))}
	open := false
	for i, e := range r.entries {
		g.verdicts[i] = r.judge(e, flags, narrow)
		open = open || !e.action.Helps && g.verdicts[i].Decision == Allowed
	}
	for i, e := range r.entries {
		switch {
		case !e.action.Helps:
		case open:
			g.verdicts[i] = Verdict{Decision: Allowed}
		case g.verdicts[i].Decision == Allowed:
			g.verdicts[i] = Verdict{Decision: Stripped, Why: "there is nothing that it could explain here", cause: blocked}
		}
	}
	return g
}

func (r *Registry) judge(e entry, flags CategoryFlags, narrow []Narrowing) Verdict {
	category := r.categories[e.category]
	if sw := flags[category.Name()]; !sw.On && !(sw.always && e.action.Always) {
		return Verdict{Decision: Stripped, Why: sw.Why, Remedy: sw.Remedy, cause: switchedOff}
	}
	v := Verdict{Decision: Allowed}
	for _, n := range narrow {
		switch denial, why := n(e.owner, e.action); denial {
		case Strip:
			return Verdict{Decision: Stripped, Why: why, cause: blocked}
		case Refuse:
			if v.Decision == Allowed {
				v = Verdict{Decision: Refused, Why: why}
			}
		}
	}
	if c, ok := category.(Unavailable); ok && v.Decision == Allowed {
		if why, remedy := c.Unavailable(e.action.Name); why != "" {
			return Verdict{Decision: Refused, Why: why, Remedy: remedy}
		}
	}
	return v
}

// Verdict judges a type by its exact name.
func (g Gate) Verdict(name string) Verdict {
	_, v := g.lookup(name)
	return v
}

// Action finds an action by its exact name, whatever the verdict on it is.
func (g Gate) Action(name string) (*Action, bool) {
	a, _ := g.lookup(name)
	return a, a != nil
}

// Named is Action for a name or an alias, however it is spelled, with the verdict.
func (g Gate) Named(name string) (*Action, Verdict) {
	if g.reg != nil {
		if exact, ok := g.reg.Named(name); ok {
			name = exact
		}
	}
	return g.lookup(name)
}

func (g Gate) lookup(name string) (*Action, Verdict) {
	if g.reg != nil {
		if i, ok := g.reg.byName[name]; ok {
			return g.reg.entries[i].action, g.verdicts[i]
		}
	}
	return nil, Verdict{Decision: Stripped, Why: "there is no such action", cause: unknownType}
}

// Allowed returns the actions that may run, in the registry's order.
func (g Gate) Allowed() []*Action {
	var allowed []*Action
	for _, acts := range g.Sections() {
		allowed = append(allowed, acts...)
	}
	return allowed
}

// Sections yields the allowed actions by category. A category without any is
// left out.
func (g Gate) Sections() iter.Seq2[Category, []*Action] {
	return func(yield func(Category, []*Action) bool) {
		for i := 0; i < len(g.verdicts); {
			category := g.reg.entries[i].category
			var acts []*Action
			for ; i < len(g.verdicts) && g.reg.entries[i].category == category; i++ {
				if g.verdicts[i].Decision == Allowed {
					acts = append(acts, g.reg.entries[i].action)
				}
			}
			if len(acts) > 0 && !yield(g.reg.categories[category], acts) {
				return
			}
		}
	}
}

// SwitchedOff names the categories that the operator has switched off. One with a single type has the name of that: a model may have other
// tools for the web than webSearch.
func (g Gate) SwitchedOff() []string {
	var names []string
	types := map[int]int{}
	for _, e := range g.reg.entries {
		types[e.category]++
	}
	for i, v := range g.verdicts {
		switch e := g.reg.entries[i]; {
		case v.cause != switchedOff:
		case types[e.category] == 1:
			names = append(names, e.action.Name)
		default:
			names = append(names, g.reg.categories[e.category].Name())
		}
	}
	return slices.Compact(names)
}

// Accepts reports whether Split would keep r.
func (g Gate) Accepts(r Request) bool {
	_, ok := g.admit(r)
	return ok
}

// Split separates the requests that may be tried from the others, in order. Requests that
// will be refused are tried: their answer is the reason. Stripped are the types
// as the model wrote them, with duplicates.
func (g Gate) Split(reqs []Request) (try []Request, stripped []string) {
	for _, r := range reqs {
		if admitted, ok := g.admit(r); ok {
			try = append(try, admitted)
		} else {
			stripped = append(stripped, r.Type)
		}
	}
	return try, stripped
}

// admit returns r, or its rewritten form, if it may be tried. Only a type that is unknown
// or switched off is rewritten: one that a narrowing took out of this gate stays out under
// its other name too.
func (g Gate) admit(r Request) (Request, bool) {
	v := g.Verdict(r.Type)
	if v.Decision != Stripped {
		return r, true
	}
	if v.cause == blocked || g.reg == nil {
		return r, false
	}
	for _, c := range g.reg.categories {
		rw, ok := c.(Rewriter)
		if !ok {
			continue
		}
		if other, ok := rw.Rewrite(r); ok && g.Verdict(other.Type).Decision != Stripped {
			other.Calls = r.Calls
			return other, true
		}
	}
	return r, false
}

// Only keeps the listed types and strips all others.
func Only(types []string, why string) Narrowing {
	listed := make(map[string]bool, len(types))
	for _, t := range types {
		listed[t] = true
	}
	return func(_ string, a *Action) (Denial, string) {
		if listed[a.Name] {
			return Keep, ""
		}
		return Strip, why
	}
}

// AtDepth refuses the actions that start work on a plan inside such work, which could go on for ever. What keeps
// deferred runs and jobs from multiplying are their own limits: a deferred run cannot defer, a job cannot run jobs, and
// a chain ends.
func AtDepth(depth int) Narrowing {
	return func(_ string, a *Action) (Denial, string) {
		if depth > 0 && a.TopLevel {
			return Refuse, "that cannot be started from inside another run"
		}
		return Keep, ""
	}
}
