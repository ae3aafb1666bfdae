package messaging

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// mayReact is needed to add a reaction, and to remove the bot's.
var mayReact = []chat.Permission{chat.ViewChannel, chat.ReadHistory, chat.AddReactions}

// A Reaction is an emoji below a message.
type Reaction struct {
	Target
	Emoji chat.Emoji `json:"emoji" doc:"The character itself, or name:id for one of the server's own."`
}

func (c *Category) react() *actions.Action {
	return define(c, actions.Spec[Reaction]{
		Name:      "react",
		Aliases:   []string{"ADD_REACTION", "REACT_TO_MESSAGE", "EMOJI_REACT", "LIKE", "LIKE_MESSAGE", "LIKE_POST", "UPVOTE"},
		Summary:   "React to a message with an emoji.",
		Sentence:  "React to {messageId} in {channelId} with {emoji}",
		Needs:     mayReact,
		MayNeed:   actions.ForEmoji,
		Examples:  []Reaction{{Target: someMessage, Emoji: "👍"}},
		AlsoNeeds: emoji(c, func(in Reaction) string { return string(in.Emoji) }),
		Do: func(ctx context.Context, call actions.Call, in Reaction) (actions.Result, error) {
			ch, id, err := c.find(ctx, call, in.Target)
			if err != nil {
				return actions.Result{}, err
			}
			// No inverse: the bot may have had this reaction before.
			return actions.Done(c.server.React(ctx, ch.ID, id, in.Emoji),
				fmt.Sprintf("reacted with %s to %s in %s", shown(in.Emoji), link("a message", ch, id), ch.ID.Mention()))
		},
	})
}

func (c *Category) unreact() *actions.Action {
	return define(c, actions.Spec[Reaction]{
		Name:     "unreact",
		Summary:  "Remove a reaction of yours from a message.",
		Sentence: "Take my reaction {emoji} off {messageId} in {channelId}",
		Needs:    mayReact,
		Examples: []Reaction{{Target: someMessage, Emoji: "👍"}},
		Do: func(ctx context.Context, call actions.Call, in Reaction) (actions.Result, error) {
			ch, id, err := c.find(ctx, call, in.Target)
			if err != nil {
				return actions.Result{}, err
			}
			m, err := c.server.Message(ctx, ch.ID, id)
			if err != nil {
				return actions.Result{}, err
			}
			mine, ok := ownReaction(m, in.Emoji)
			if !ok {
				return actions.Result{}, fmt.Errorf("I have no reaction %s on %s in %s", shown(in.Emoji), link("that message", ch, id), ch.ID.Mention())
			}
			return actions.Done(c.server.Unreact(ctx, ch.ID, id, mine),
				fmt.Sprintf("took my reaction %s off %s in %s", shown(mine), link("a message", ch, id), ch.ID.Mention()),
				actions.Reverse(fmt.Sprintf("react with %s to %s again", shown(mine), link("a message", ch, id)), "react", Reaction{exactly(ch, id), mine}))
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
