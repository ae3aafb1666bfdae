package actions

import (
	"slices"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// Linked replaces the handles of messages in requests by links, where a field takes a message and
// in texts that are read outside of the turn. From then on a request means the same everywhere. Unknown
// handles stay, and do not decode.
func (g Gate) Linked(reqs []Request, h *chat.Handles) []Request {
	linked := slices.Clone(reqs)
	for i, r := range linked {
		action, _ := g.lookup(r.Type)
		if action == nil {
			continue
		}
		linked[i].Args = action.schema().Rewrite(r.Args, func(f schema.Field, text string) string {
			switch {
			case f.Message:
				return h.Link(text)
			case slices.Contains(action.Stores, f.Name):
				return h.LinkAll(text)
			}
			return text
		})
	}
	return linked
}
