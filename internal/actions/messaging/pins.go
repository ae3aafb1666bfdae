package messaging

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

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
