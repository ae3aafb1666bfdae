package messaging

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

func (c *Category) reactions() []*actions.Action {
	return []*actions.Action{c.react(), c.unreact()}
}

// mayReact is needed to add a reaction, and to remove the bot's.
var mayReact = []chat.Permission{chat.ViewChannel, chat.ReadHistory, chat.AddReactions}

// A Reaction is an emoji below a message.
type Reaction struct {
	Target
	Emoji chat.Emoji `json:"emoji" doc:"The character itself, or name:id for one of the server's own."`
}

func (c *Category) react() *actions.Action {
	return define(c, actions.Spec[Reaction]{
		Name:     "react",
		Summary:  "React to a message with an emoji.",
		Needs:    mayReact,
		Examples: []Reaction{{Target: someMessage, Emoji: "👍"}},
		Do: func(ctx context.Context, call actions.Call, in Reaction) (actions.Result, error) {
			ch, id, err := c.find(ctx, call, in.Target)
			if err != nil {
				return actions.Result{}, err
			}
			if err := c.server.React(ctx, ch.ID, id, in.Emoji); err != nil {
				return actions.Result{}, fmt.Errorf("react to message %s in %s: %w", id, called(ch), err)
			}
			// No inverse: the bot may have had this reaction before.
			return actions.Result{Summary: "Reacted with " + shown(in.Emoji)}, nil
		},
	})
}

func (c *Category) unreact() *actions.Action {
	return define(c, actions.Spec[Reaction]{
		Name:     "unreact",
		Summary:  "Remove a reaction of yours from a message.",
		Needs:    mayReact,
		Examples: []Reaction{{Target: someMessage, Emoji: "👍"}},
		Do: func(ctx context.Context, call actions.Call, in Reaction) (actions.Result, error) {
			ch, id, err := c.find(ctx, call, in.Target)
			if err != nil {
				return actions.Result{}, err
			}
			m, err := c.server.Message(ctx, ch.ID, id)
			if err != nil {
				return actions.Result{}, fmt.Errorf("read message %s in %s: %w", id, called(ch), err)
			}
			mine, ok := ownReaction(m, in.Emoji)
			if !ok {
				return actions.Result{}, fmt.Errorf(`reaction "%s" not found on message %s in %s: the bot has none like it there`, shown(in.Emoji), id, called(ch))
			}
			if err := c.server.Unreact(ctx, ch.ID, id, mine); err != nil {
				return actions.Result{}, fmt.Errorf("remove reaction from message %s in %s: %w", id, called(ch), err)
			}
			return actions.Result{
				Summary: "Removed reaction " + shown(in.Emoji),
				Undo:    []actions.Inverse{actions.Reverse("react with "+shown(in.Emoji)+" again", "react", Reaction{exactly(ch, id), mine})},
			}, nil
		},
	})
}

// ownReaction finds the bot's reaction in Discord's spelling, the only one that it can be
// removed by.
func ownReaction(m chat.Message, e chat.Emoji) (chat.Emoji, bool) {
	for _, r := range m.Reactions {
		if r.Mine && r.Emoji.Same(e) {
			return r.Emoji, true
		}
	}
	return "", false
}
