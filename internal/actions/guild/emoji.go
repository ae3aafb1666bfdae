package guild

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// An EmojiList shows the server's own emoji.
type EmojiList struct{}

// emojiList needs no right: it is open to every member.
func (c *Category) emojiList() *actions.Action {
	return actions.Define(actions.Spec[EmojiList]{
		Name:      "emojiList",
		Summary:   "List this server's own emoji and how to write them.",
		Effect:    actions.Queries,
		Reads:     actions.Names,
		Examples:  []EmojiList{{}},
		AlsoNeeds: forMembers[EmojiList](c),
		Do: func(ctx context.Context, call actions.Call, _ EmojiList) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			all, err := c.server.Emojis(ctx, g)
			if err != nil {
				return actions.Result{}, err
			}
			did := actions.Listed("listed", len(all), "emoji", "emoji")
			if len(all) == 0 {
				return actions.Result{Found: "This server has no emoji of its own", Summary: did, Open: true}, nil
			}
			lines := []string{fmt.Sprintf("Emoji of this server (%d):", len(all))}
			for _, e := range all {
				line := fmt.Sprintf(":%s: is written %s", chat.OneLine(e.Name), e.Markup())
				if !e.Available {
					line += " (not available at the moment)"
				}
				lines = append(lines, line)
			}
			return actions.Result{Found: strings.Join(lines, "\n"), Summary: did, Open: true}, nil
		},
	})
}
