package messaging

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// mayRead is needed to see messages.
var mayRead = []chat.Permission{chat.ViewChannel, chat.ReadHistory}

// How much one action shows: messages, and characters of them, so that the model gets all of it.
const (
	maxMessages   = 100
	maxReadLength = 7500
)

// A ReadMessages shows the latest messages of a channel.
type ReadMessages struct {
	Channel chat.ChannelRef `json:"channel" alias:"channelId" doc:"Channel name or ID."`
	Limit   int             `json:"limit,omitempty" doc:"How many, 1 to 100; fewer if they are long." default:"10"`
	Before  chat.MessageRef `json:"before,omitempty" doc:"Only messages older than this one."`
}

func (in ReadMessages) place() chat.ChannelRef { return in.Channel }

func (c *Category) readMessages() *actions.Action {
	return define(c, actions.Spec[ReadMessages]{
		Name:     "readMessages",
		Aliases:  []string{"READ_CHANNEL", "GET_MESSAGES", "FETCH_MESSAGES", "CHANNEL_HISTORY"},
		Summary:  "Read the latest messages of a channel.",
		Effect:   actions.Queries,
		Reads:    actions.Messages,
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
			text, n := conversation(ch, found)
			return actions.FoundIn(text, actions.Listed("read", n, "message", "messages")+" in", ch).Showing(call, found[:n]...), nil
		},
	})
}

// conversation shows messages, which come newest first, in the order in which they
// were written. If they are too long for a prompt, it shows the latest n and says how to go on, at the
// beginning, where no cut removes it.
func conversation(ch chat.Channel, found []chat.Message) (text string, n int) {
	if len(found) == 0 {
		return "No messages found in " + called(ch), 0
	}
	var lines []string
	for room := maxReadLength; n < len(found); n++ {
		m := found[n]
		line := fmt.Sprintf("[%s] %s (%s, id:%s)", author(m), brief(m), sent(m), m.ID)
		if room -= chat.Length(line) + 1; room < 0 && n > 0 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	goOn := ""
	if n < len(found) {
		goOn = fmt.Sprintf(` (the latest %d of %d; for older ones, "before": "%s")`, n, len(found), found[n-1].ID)
	}
	return fmt.Sprintf("Messages in %s%s:\n%s", called(ch), goOn, strings.Join(lines, "\n")), n
}

// A FetchMessage shows one message.
type FetchMessage struct {
	Target
	Full bool `json:"full,omitempty" doc:"Do not cut the text, and those of its files, after 2000 characters."`
}

func (c *Category) fetchMessage() *actions.Action {
	return define(c, actions.Spec[FetchMessage]{
		Name:     "fetchMessage",
		Summary:  "Read one message, with the texts of its files and the votes of its poll.",
		Effect:   actions.Queries,
		Reads:    actions.Messages,
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
			m = withoutSecret(m)
			text, each := whole(m), maxReadLength
			if !in.Full {
				text, each = chat.Clip(text, maxFetchedLength), maxFetchedLength
			}
			found := fmt.Sprintf("[%s]: %s (%s, %s, id:%s)", author(m), text, sent(m), called(ch), m.ID)
			files := c.Texts(ctx, m)
			found += filesText(files, each, maxReadLength-chat.Length(found))
			res := actions.FoundIn(found, "read a message in", ch).Showing(call, m)
			res.Outside.Add(files.Outside())
			return res, nil
		},
	})
}
