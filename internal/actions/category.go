package actions

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

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

// A Hint is what is known about a turn before the prompt is built.
type Hint struct {
	Text     string      // the user's message
	Operates func() bool // whether the user runs the bot; nil means yes
}

// Mentions reports whether the text has words that begin like one of the stems,
// which are in lower case: "remind" finds "Reminders", "bot name" finds "Bot names" and "bot-names". The end of a compound is no
// word of its own, since names of channels are compounds: "plan" does not find "party-planning".
func (h Hint) Mentions(stems ...string) bool {
	words, compounds := wordsOf(h.Text, isNotWord), wordsOf(h.Text, func(r rune) bool { return isNotWord(r) && r != '-' })
	for _, stem := range stems {
		if strings.Contains(compounds, " "+stem) || strings.Contains(stem, " ") && strings.Contains(words, " "+stem) {
			return true
		}
	}
	return false
}

// wordsOf is a text in lower case, with a space before each word.
func wordsOf(text string, apart func(rune) bool) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), apart), " ")
}

func isNotWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

var (
	categoryName = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	variableName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
)

// checkCategories finds names and switches that two categories share, or that are
// invalid.
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
		if !categoryName.MatchString(name) {
			complain("category %q: the name must be letters and digits, starting with a small letter", name)
		}
		if flag.Shares != "" && (len(flag.Needs) > 0 || flag.Part != "") {
			complain("category %s: on the switch of %s, so it cannot have needs of its own", name, flag.Shares)
		}
		if flag.Always || flag.Shares != "" {
			continue
		}
		if !variableName.MatchString(flag.Env) {
			complain("category %s: its switch %q must be a variable in capitals", name, flag.Env)
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
