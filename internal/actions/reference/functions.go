package reference

import (
	"strings"

	"discoclaw/internal/actions"
)

// Functions is what a prompt says about actions if the model has them as functions, whose names, fields and
// descriptions travel beside it. It is the same in every turn with the same gate, and empty if nothing may run.
func Functions(g actions.Gate) string {
	allowed := g.Allowed()
	if len(allowed) == 0 {
		return ""
	}
	parts := []string{`## Actions

To act, call the functions you have been given.

- Only these functions and their fields exist. Invent no ID.
` + values + `
- Calls run in order, also after a failure. Later ones can name what earlier ones made, so that one reply can make a channel, write there, and pin that by "last".
` + lookFirst + `
- You are asked again only after a look-up or a failure: write beside your calls what people should read. Say what you do, not that it worked, and nothing without its call.
` + appears(g) + ` People see your text and a line for each thing done.
` + rights + rules(g)}
	var asks []string
	for _, a := range allowed {
		if headingOf(a) == asksFirst {
			asks = append(asks, a.Name)
		}
	}
	if len(asks) > 0 {
		parts = append(parts, asksFirst+"\n"+strings.Join(asks, ", "))
	}
	return strings.Join(append(parts, switchedOff(g)...), "\n\n")
}
