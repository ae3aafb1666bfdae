// Package roles assigns models to roles. A change made while the bot runs lasts until it
// restarts; then the environment counts again.
package roles

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"discoclaw/internal/llm"
)

// A Role is a kind of work that a model is asked to do.
type Role string

const (
	Chat         Role = "chat"
	Fast         Role = "fast"
	ForgeDrafter Role = "forge-drafter"
	ForgeAuditor Role = "forge-auditor"
	Summary      Role = "summary"
	Consent      Role = "consent"
	Cron         Role = "cron"
	CronExec     Role = "cron-exec"
	PlanRun      Role = "plan-run"
	Voice        Role = "voice"
)

// Choices returns the names of all roles.
func (Role) Choices() []string {
	var names []string
	for _, d := range duties {
		names = append(names, string(d.role))
	}
	return names
}

// A Name is a tier or a concrete model, with its runtime in front or without.
type Name string

// Default in place of a model returns a role to its setting in the environment.
const Default Name = "default"

// UnmarshalText refuses what cannot be a model's name.
func (n *Name) UnmarshalText(text []byte) error {
	*n = Name(text)
	return n.check()
}

// Check returns an error for what cannot be a model's name.
func Check(name string) error { return Name(name).check() }

func (n Name) check() error {
	if n == "" || strings.ContainsFunc(string(n), unicode.IsSpace) {
		return fmt.Errorf("%q is not a model's name, which has no white space", string(n))
	}
	return nil
}

// A duty describes the use of a role, and its model while none is set: a built-in one, or that
// of another role.
type duty struct {
	role    Role
	use     string
	builtin string
	follows Role
}

var duties = []duty{
	{role: Chat, use: "messages, reactions and deferred runs", builtin: "capable"},
	{role: Fast, use: "small jobs", builtin: "fast"},
	{role: ForgeDrafter, use: "drafting plans", builtin: "capable"},
	{role: ForgeAuditor, use: "auditing plans", builtin: "deep"},
	{role: Summary, use: "rolling summaries", follows: Fast},
	{role: Consent, use: "whether changes follow from the words of the person who asked", follows: Fast},
	{role: Cron, use: "reading and tagging scheduled jobs", follows: Fast},
	{role: CronExec, use: "running scheduled jobs", follows: Chat},
	{role: PlanRun, use: "running plan phases", builtin: "capable"},
	{role: Voice, use: "talk in calls", follows: Chat},
}

// fanOut are the roles that a change of the key changes too.
var fanOut = map[Role][]Role{Fast: {Summary, Consent, Cron}}

// Options are the initial state of the roles.
type Options struct {
	// Models are the operator's own choices. A role that is not in it, or blank,
	// has its built-in one.
	Models map[Role]string
	// Runtimes are the names that a value may begin with, as in runtime:model. A runtime's name alone means its
	// model of the role's own tier.
	Runtimes []string
	// Resolve turns a tier (fast, capable, deep) into the model that the choice's
	// runtime is asked for. Nil leaves every name as it is.
	Resolve func(llm.Choice) (model string)
	// Check returns why a choice cannot be used. It may be nil.
	Check func(llm.Choice) error
}

// Assignments map roles to models. They are safe for concurrent use.
type Assignments struct {
	configured map[Role]string
	runtimes   []string
	resolve    func(llm.Choice) string
	check      func(llm.Choice) error

	mu        sync.RWMutex
	overrides map[Role]string
}

// New returns assignments without overrides.
func New(o Options) *Assignments {
	a := &Assignments{configured: map[Role]string{}, runtimes: o.Runtimes, resolve: o.Resolve, check: o.Check, overrides: map[Role]string{}}
	for _, d := range duties {
		a.configured[d.role] = d.builtin
		if model := o.Models[d.role]; model != "" {
			a.configured[d.role] = model
		}
	}
	if a.resolve == nil {
		a.resolve = func(c llm.Choice) string { return c.Model }
	}
	if a.check == nil {
		a.check = func(llm.Choice) error { return nil }
	}
	return a
}

// An Assignment is the model of one role.
type Assignment struct {
	Role     Role
	Use      string     // of the role
	Model    string     // a tier or a concrete name, as it was set
	Resolved llm.Choice // the concrete name, and its runtime if one was named
	Follows  Role       // the role it takes its model from, while it has none of its own
	Override bool       // changed since the start
}

// Uses returns a clause on the use of each role.
func Uses() string {
	var uses []string
	for _, d := range duties {
		uses = append(uses, fmt.Sprintf("%s (%s)", d.role, d.use))
	}
	return strings.Join(uses, ", ")
}

// All returns every role's assignment, in a fixed order.
func (a *Assignments) All() []Assignment {
	a.mu.RLock()
	defer a.mu.RUnlock()
	var all []Assignment
	for _, d := range duties {
		all = append(all, a.assignment(d.role))
	}
	return all
}

// Resolved returns the runtime and the model of a role.
func (a *Assignments) Resolved(role Role) llm.Choice {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.assignment(role).Resolved
}

// Named returns the runtime and the model of a name or a tier, for work of the role chat.
func (a *Assignments) Named(name Name) (llm.Choice, error) {
	if err := name.check(); err != nil {
		return llm.Choice{}, err
	}
	c := a.choice(string(name), Chat)
	return c, a.check(c)
}

// Or returns the runtime and the model that a piece of work names for itself, or those of its role if it names none.
func (a *Assignments) Or(role Role, own string) (llm.Choice, error) {
	if own == "" {
		return a.Resolved(role), nil
	}
	return a.Named(Name(own))
}

// choice reads a name that a role was given.
func (a *Assignments) choice(name string, role Role) llm.Choice {
	c := llm.ParseChoice(name, a.runtimes)
	if slices.Contains(a.runtimes, name) {
		c = llm.Choice{Runtime: name, Model: tierOf(role)}
	}
	c.Model = a.resolve(c)
	return c
}

// tierOf returns the tier that is built in for a role.
func tierOf(role Role) string {
	d := dutyOf(role)
	if d.builtin == "" {
		return tierOf(d.follows)
	}
	return d.builtin
}

func dutyOf(role Role) duty {
	return duties[slices.IndexFunc(duties, func(d duty) bool { return d.role == role })]
}

// Set gives a role another model until the restart, or reverts such a change if the model
// is Default. It returns every role that was changed, or changes nothing and returns an
// error.
func (a *Assignments) Set(role Role, model Name) ([]Assignment, error) {
	if !slices.Contains(role.Choices(), string(role)) {
		return nil, fmt.Errorf("unknown role %q; the roles are %s", role, strings.Join(role.Choices(), ", "))
	}
	if err := model.check(); err != nil {
		return nil, err
	}
	if model != Default {
		if err := a.check(a.choice(string(model), role)); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var changed []Assignment
	for _, r := range append([]Role{role}, fanOut[role]...) {
		if model == Default {
			delete(a.overrides, r)
		} else {
			a.overrides[r] = string(model)
		}
		changed = append(changed, a.assignment(r))
	}
	return changed, nil
}

// assignment is called with the lock held.
func (a *Assignments) assignment(role Role) Assignment {
	d := dutyOf(role)
	as := Assignment{Role: role, Use: d.use, Model: a.configured[role]}
	if model, ok := a.overrides[role]; ok {
		as.Model, as.Override = model, true
	}
	if as.Model == "" {
		as.Follows = d.follows
		as.Model = a.assignment(d.follows).Model
	}
	as.Resolved = a.choice(as.Model, role)
	return as
}
