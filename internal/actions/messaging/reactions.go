package messaging

import (
	"context"
	"fmt"
	"strings"

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
			res, err := actions.Done(c.server.React(ctx, ch.ID, id, in.Emoji),
				fmt.Sprintf("reacted with %s to %s in %s", shown(in.Emoji), link("a message", ch, id), ch.ID.Mention()))
			return res.SeenIn(call, ch.ID), err
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

// mayPin is needed to pin and to unpin.
var mayPin = []chat.Permission{chat.ViewChannel, chat.ReadHistory, chat.PinMessages}

func (c *Category) pinMessage() *actions.Action {
	return define(c, actions.Spec[Target]{
		Name:     "pinMessage",
		Aliases:  []string{"PIN", "PIN_THIS"},
		Summary:  "Pin a message.",
		Sentence: "Pin {messageId} in {channelId}",
		Needs:    mayPin,
		Examples: []Target{{Channel: "general", Message: chat.Last}},
		Do:       c.doing(Server.Pin, "pinned", "unpinMessage", "unpin"),
	})
}

func (c *Category) unpinMessage() *actions.Action {
	return define(c, actions.Spec[Target]{
		Name:     "unpinMessage",
		Summary:  "Unpin a message.",
		Sentence: "Unpin {messageId} in {channelId}",
		Needs:    mayPin,
		Examples: []Target{someMessage},
		Do:       c.doing(Server.Unpin, "unpinned", "pinMessage", "pin again"),
	})
}

// A ListPins shows what is pinned in a channel.
type ListPins struct {
	Channel chat.ChannelRef `json:"channel" alias:"channelId" doc:"Channel name or ID."`
}

func (in ListPins) place() chat.ChannelRef { return in.Channel }

// maxPins bounds the list of a channel with hundreds of pins.
const maxPins = 50

func (c *Category) listPins() *actions.Action {
	return define(c, actions.Spec[ListPins]{
		Name:     "listPins",
		Summary:  "List the pinned messages of a channel.",
		Effect:   actions.Queries,
		Reads:    actions.Messages,
		Needs:    mayRead,
		Examples: []ListPins{{Channel: "general"}},
		Do: func(ctx context.Context, call actions.Call, in ListPins) (actions.Result, error) {
			ch, err := c.textChannel(ctx, call, in.Channel)
			if err != nil {
				return actions.Result{}, err
			}
			pinned, err := c.server.Pins(ctx, ch.ID)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.FoundIn(pinboard(ch, pinned), actions.Listed("read", len(pinned), "pinned message", "pinned messages")+" in", ch).Showing(call, pinned...), nil
		},
	})
}

func pinboard(ch chat.Channel, pinned []chat.Message) string {
	if len(pinned) == 0 {
		return "No pinned messages in " + called(ch)
	}
	lines := []string{fmt.Sprintf("Pinned messages in %s:", called(ch))}
	for _, m := range pinned[:min(len(pinned), maxPins)] {
		lines = append(lines, fmt.Sprintf("[%s] %s (id:%s)", author(m), brief(m), m.ID))
	}
	if more := len(pinned) - maxPins; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}
