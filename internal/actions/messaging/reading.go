package messaging

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

func (c *Category) reading() []*actions.Action {
	return []*actions.Action{c.readMessages(), c.fetchMessage()}
}

// mayRead is needed to see messages.
var mayRead = []chat.Permission{chat.ViewChannel, chat.ReadHistory}

// maxMessages is how many messages one action shows.
const maxMessages = 20

// A ReadMessages shows the latest messages of a channel.
type ReadMessages struct {
	Channel chat.ChannelRef `json:"channel" alias:"channelId" doc:"Channel name or ID."`
	Limit   int             `json:"limit,omitempty" doc:"How many, 1 to 20." default:"10"`
	Before  chat.MessageRef `json:"before,omitempty" doc:"Only messages older than this one."`
}

func (in ReadMessages) place() chat.ChannelRef { return in.Channel }

func (c *Category) readMessages() *actions.Action {
	return define(c, actions.Spec[ReadMessages]{
		Name:     "readMessages",
		Summary:  "Read the latest messages of a channel.",
		Effect:   actions.Queries,
		Needs:    mayRead,
		Examples: []ReadMessages{{Channel: "general"}},
		Do: func(ctx context.Context, call actions.Call, in ReadMessages) (actions.Result, error) {
			ch, err := c.textChannel(ctx, call, in.Channel)
			if err != nil {
				return actions.Result{}, err
			}
			var before chat.MessageID
			if in.Before != "" {
				if before, err = c.message(ctx, call, ch, in.Before); err != nil {
					return actions.Result{}, err
				}
			}
			found, err := c.server.Messages(ctx, ch.ID, before, min(max(in.Limit, 1), maxMessages))
			if err != nil {
				return actions.Result{}, err
			}
			return actions.FoundIn(conversation(ch, found), actions.Listed("read", len(found), "message", "messages")+" in", ch), nil
		},
	})
}

// conversation shows messages, which come newest first, in the order in which they
// were written.
func conversation(ch chat.Channel, found []chat.Message) string {
	if len(found) == 0 {
		return "No messages found in " + called(ch)
	}
	lines := []string{fmt.Sprintf("Messages in %s:", called(ch))}
	for _, m := range slices.Backward(found) {
		lines = append(lines, fmt.Sprintf("[%s] %s (%s, id:%s)", author(m), brief(m), sent(m), m.ID))
	}
	return strings.Join(lines, "\n")
}

// A FetchMessage shows one message.
type FetchMessage struct {
	Target
	Full bool `json:"full,omitempty" doc:"Do not cut the text after 2000 characters."`
}

func (c *Category) fetchMessage() *actions.Action {
	return define(c, actions.Spec[FetchMessage]{
		Name:     "fetchMessage",
		Summary:  "Read one message.",
		Effect:   actions.Queries,
		Needs:    mayRead,
		Examples: []FetchMessage{{Target: someMessage}},
		Do: func(ctx context.Context, call actions.Call, in FetchMessage) (actions.Result, error) {
			ch, id, err := c.find(ctx, call, in.Target)
			if err != nil {
				return actions.Result{}, err
			}
			m, err := c.server.Message(ctx, ch.ID, id)
			if err != nil {
				return actions.Result{}, err
			}
			text := whole(m)
			if !in.Full {
				text = chat.Clip(text, maxFetchedLength)
			}
			found := fmt.Sprintf("[%s]: %s (%s, %s, id:%s)", author(m), text, sent(m), called(ch), m.ID)
			return actions.FoundIn(found, "read a message in", ch), nil
		},
	})
}
