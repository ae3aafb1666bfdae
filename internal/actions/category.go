package actions

import "strings"

// A Category is a named group of actions behind one switch.
type Category interface {
	Name() string
	Flag() Flag
	Actions() []*Action
}

// Ruler is the name of the category whose switch rules c: its own, or the one it
// shares. Flow rules mean categories by this name.
func Ruler(c Category) string {
	if shared := c.Flag().Shares; shared != "" {
		return shared
	}
	return c.Name()
}

// The interfaces below are optional. The registry looks for them once, so that
// the smallest category stays small.

// A Guide adds prose that belongs to the category rather than to one action.
type Guide interface{ Guidance() string }

// An Unavailable category may be switched on but have nothing behind it. The
// reason names the setting to change; an empty one means it is there after all.
type Unavailable interface{ Unavailable() (why string) }

// A Topical category has its fields explained only when a prompt is about it.
// Its actions are named in every prompt all the same.
type Topical interface{ Matches(Hint) bool }

// A Rewriter takes over requests that were written for a type that is closed,
// because that type used to mean what one of its own means now. The result goes
// through the gate like any other request.
type Rewriter interface {
	Rewrite(Request) (Request, bool)
}

// A Hint is what is known about a turn before the prompt is written.
type Hint struct {
	Text string // what the user said
}

// Mentions says whether the text has a word that begins with one of the stems,
// which are lower case: "remind" finds "Reminders".
func (h Hint) Mentions(stems ...string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(h.Text), isNotWord) {
		for _, stem := range stems {
			if strings.HasPrefix(word, stem) {
				return true
			}
		}
	}
	return false
}
