package access

import (
	"fmt"
	"slices"

	"discoclaw/internal/actions"
)

// A Rule takes categories out of a flow, whatever the environment says. They are named by the
// category whose switch rules them. The zero Rule takes out everything, so that a new way in
// stays closed until its rule opens it.
type Rule struct {
	Where string   // completes "… do not run"
	Open  bool     // actions run at all
	Off   []string // but none of these categories
	Only  []string // and none but these, if there are any
	Types []string // nor these types

	Nobody *Rule // what is taken out besides when the requester is unknown; nil means noRights
}

// noRights is what a turn without a known requester loses: there are no rights that could
// bound what it does to the server.
var noRights = Rule{
	Where: "when nobody is known to have asked", Open: true,
	Off: []string{"channels", "messaging", "guild", "moderation", "polls"},
}

// Narrowings returns what the flow and requester of a turn take out of its gate.
func Narrowings(ways []*Way, o actions.Origin) []actions.Narrowing {
	r := Rule{Where: fmt.Sprintf("in the flow %q, which has no rules yet", o.Flow)}
	if i := slices.IndexFunc(ways, func(w *Way) bool { return w.Flow == o.Flow }); i >= 0 {
		r = ways[i].Rule
	}
	narrow := []actions.Narrowing{r.narrow, actions.AtDepth(o.Depth)}
	switch {
	case o.Requester != "":
	case r.Nobody != nil:
		narrow = append(narrow, r.Nobody.narrow)
	default:
		narrow = append(narrow, noRights.narrow)
	}
	return narrow
}

func (r Rule) narrow(category string, a *actions.Action) (actions.Denial, string) {
	switch {
	case !r.Open:
		return actions.Strip, "actions do not run " + r.Where
	case slices.Contains(r.Off, category), len(r.Only) > 0 && !slices.Contains(r.Only, category):
		return actions.Strip, fmt.Sprintf("%s actions do not run %s", category, r.Where)
	case slices.Contains(r.Types, a.Name):
		return actions.Strip, fmt.Sprintf("%s does not run %s", a.Name, r.Where)
	}
	return actions.Keep, ""
}
