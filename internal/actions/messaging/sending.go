package messaging

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/render"
)

// A SendMessage posts a text.
type SendMessage struct {
	Channel chat.ChannelRef `json:"channel" alias:"channelId" doc:"Channel name or ID."`
	Content string          `json:"content" doc:"The text." max:"2000"`
	ReplyTo chat.MessageRef `json:"replyTo,omitempty" doc:"Message in that channel to answer."`
}

func (c *Category) sendMessage() *actions.Action {
	return actions.Define(actions.Spec[SendMessage]{
		Name:       "sendMessage",
		Aliases:    []string{"POST_MESSAGE", "SAY", "ANNOUNCE", "SEND_TO_CHANNEL"},
		Summary:    "Send a message to another channel than the current one.",
		Brief:      "no pings",
		Sentence:   "Post in {channel}[ as a reply to {replyTo}]: {content:text}",
		Needs:      []chat.Permission{chat.ViewChannel, chat.SendMessages},
		MayNeed:    actions.ForEmoji,
		Quiet:      true, // the message is visible
		Idempotent: c.Once != nil,
		Examples:   []SendMessage{{Channel: "general", Content: "The build is green."}},
		NeedsIn: func(ctx context.Context, call actions.Call, in SendMessage) (chat.ChannelID, error) {
			ch, err := c.channel(ctx, call, in.Channel)
			if err == nil && isAnsweredHere(call, ch) {
				return call.Origin.Place.Channel, nil
			}
			return ch.ID, err
		},
		AlsoNeeds: emoji(c, func(in SendMessage) string { return in.Content }),
		Free:      answersHere,
		Do:        c.doSendMessage,
	})
}

func (c *Category) doSendMessage(ctx context.Context, call actions.Call, in SendMessage) (actions.Result, error) {
	ch, err := c.channel(ctx, call, in.Channel)
	if err != nil {
		return actions.Result{}, err
	}
	if isAnsweredHere(call, ch) {
		call.Sent(ch.ID, inReply)
		return actions.Result{
			Summary: fmt.Sprintf("put the message to %s into my reply: that is shown there by itself, so what I say there belongs in its text", ch.ID.Mention()),
			Reply:   in.Content,
		}, nil
	}
	if err := call.RequireText(ch, ""); err != nil {
		return actions.Result{}, err
	}
	out := chat.Outgoing{Text: inDiscord(in.Content)}
	if in.ReplyTo != "" {
		if out.ReplyTo, err = c.message(ctx, call, ch, in.ReplyTo); err != nil {
			return actions.Result{}, err
		}
	}
	id, err := c.send(ctx, call, ch, out)
	return actions.Done(err, "sent "+link("a message", ch, id)+" to "+ch.ID.Mention(), actions.TakeBack("a message", placed(ch, id))...)
}

// inDiscord makes code blocks of the tables in a text, as in replies, if it still fits into a message.
func inDiscord(text string) string {
	if shown := render.Tables(text); chat.Length(shown) <= maxContent {
		return shown
	}
	return text
}

// maxContent is Discord's limit of a message.
const maxContent = 2000

// inReply stands for the ID of a message that was not sent because its text belongs into
// the reply. Without it, "last" in a later action would mean an older message.
const inReply chat.MessageID = ""

// isAnsweredHere reports whether the turn's reply is in the channel anyway: it is the one
// of the message or of the deferred run, or the forum around it. A cron job has no
// requester's channel, so it may send anywhere. Models like to answer twice, in the reply
// and with a block.
func isAnsweredHere(call actions.Call, ch chat.Channel) bool {
	at := call.Origin.Place
	isAnswer := !call.Afterwards() && (at.Message != "" || call.Origin.Flow == actions.FlowDefer)
	return isAnswer && (ch.ID == at.Channel || ch.ID == at.Parent && ch.Kind.HasPosts())
}

// answersHere reports whether a message only adds to the reply. Its channel was found when the rights were checked.
func answersHere(call actions.Call, _ SendMessage) bool {
	ch, ok := call.Checked()
	return ok && isAnsweredHere(call, chat.Channel{ID: ch})
}

// send posts a message and records it as the last one for later actions of the same reply.
func (c *Category) send(ctx context.Context, call actions.Call, ch chat.Channel, m chat.Outgoing) (chat.MessageID, error) {
	var id chat.MessageID
	err := call.Paced(ctx, c.server, ch, func() (err error) {
		if part, ok := call.IdempotencyKey(); ok && c.Once != nil {
			id, err = c.Once(ctx, call.Origin.Turn, part, ch.ID, m)
		} else {
			id, err = c.server.Send(ctx, ch.ID, m)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	c.record(ctx, call, ch.ID, id)
	return id, nil
}

// record records a message that an action has sent. Without it, the message cannot be edited.
func (c *Category) record(ctx context.Context, call actions.Call, ch chat.ChannelID, id chat.MessageID) {
	call.Sent(ch, id)
	if c.Sent != nil {
		c.Sent.Add(ctx, ch, id)
	}
}
