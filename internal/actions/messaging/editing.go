package messaging

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

func (c *Category) editing() []*actions.Action {
	return []*actions.Action{c.editMessage(), c.deleteMessage(), c.bulkDelete(), c.crosspost()}
}

// mayManage is what it takes to change messages that somebody else wrote. For
// whoever asks, the bot's messages are that too.
var mayManage = []chat.Permission{chat.ViewChannel, chat.ReadHistory, chat.ManageMessages}

// An EditMessage replaces the text of a message.
type EditMessage struct {
	Target
	Content string `json:"content" doc:"The new text." max:"2000"`
}

func (c *Category) editMessage() *actions.Action {
	return define(c, actions.Spec[EditMessage]{
		Name:     "editMessage",
		Summary:  "Edit one of your own messages.",
		Needs:    mayManage,
		Examples: []EditMessage{{Target: Target{Channel: "general", Message: chat.Last}, Content: "The build is red again."}},
		Do: func(ctx context.Context, call actions.Call, in EditMessage) (actions.Result, error) {
			ch, id, err := c.find(ctx, call, in.Target)
			if err != nil {
				return actions.Result{}, err
			}
			if err := c.server.Edit(ctx, ch.ID, id, chat.Outgoing{Text: in.Content}); err != nil {
				return actions.Result{}, fmt.Errorf("edit message %s in %s: %w", id, called(ch), err)
			}
			return actions.Result{Summary: "Edited message in " + called(ch)}, nil
		},
	})
}

func (c *Category) deleteMessage() *actions.Action {
	return define(c, actions.Spec[Target]{
		Name:     "deleteMessage",
		Summary:  "Delete a message.",
		Needs:    mayManage,
		Grave:    true,
		Examples: []Target{someMessage},
		Do:       c.doing("delete", Server.Delete, "Deleted message in"),
	})
}

// A BulkDelete deletes the latest messages of a channel.
type BulkDelete struct {
	Channel chat.ChannelRef `json:"channelId" alias:"channel" doc:"Channel name or ID."`
	Count   int             `json:"count" doc:"How many of the latest, not counting the request and your reply." min:"2" max:"100"`
}

func (in BulkDelete) place() chat.ChannelRef { return in.Channel }

func (c *Category) bulkDelete() *actions.Action {
	return define(c, actions.Spec[BulkDelete]{
		Name:     "bulkDelete",
		Summary:  "Delete the latest messages of a channel, none older than 14 days.",
		Needs:    mayManage,
		Grave:    true,
		Examples: []BulkDelete{{Channel: "general", Count: 10}},
		Do: func(ctx context.Context, call actions.Call, in BulkDelete) (actions.Result, error) {
			ch, err := c.room(ctx, call, in.Channel)
			if err != nil {
				return actions.Result{}, err
			}
			latest, err := c.server.Messages(ctx, ch.ID, request(call, ch), in.Count)
			if err != nil {
				return actions.Result{}, fmt.Errorf("read messages in %s: %w", called(ch), err)
			}
			doomed := recent(latest, time.Now())
			if err := c.server.BulkDelete(ctx, ch.ID, doomed); err != nil {
				return actions.Result{}, fmt.Errorf("delete %d messages in %s: %w", len(doomed), called(ch), err)
			}
			summary := fmt.Sprintf("Bulk deleted %d messages in %s", len(doomed), called(ch))
			if len(doomed) == 0 {
				summary += ": there is nothing to delete that is younger than 14 days"
			} else if older := len(latest) - len(doomed); older > 0 {
				summary += fmt.Sprintf("; %d older than 14 days stay", older)
			}
			return actions.Result{Summary: summary}, nil
		},
	})
}

// request is the message that asks for this, if it is in the channel. What counts
// as the latest is older than that: the request and the reply that is being
// written to it are not meant, nor what is said until somebody has approved.
func request(call actions.Call, ch chat.Channel) chat.MessageID {
	if o := call.Origin; o.Flow == actions.FlowMessage && o.Place.Channel == ch.ID {
		return o.Place.Message
	}
	return ""
}

// oldest is how old a message may be to be deleted together with others. Discord
// refuses the whole list if one is older than two weeks; the minute is for clocks
// that differ.
const oldest = 14*24*time.Hour - time.Minute

func recent(messages []chat.Message, now time.Time) (ids []chat.MessageID) {
	for _, m := range messages {
		if now.Sub(m.Sent) < oldest {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func (c *Category) crosspost() *actions.Action {
	return define(c, actions.Spec[Target]{
		Name:     "crosspost",
		Summary:  "Publish a message of an announcement channel to its followers.",
		Needs:    mayManage,
		Examples: []Target{{Channel: "news", Message: chat.Last}},
		Do: func(ctx context.Context, call actions.Call, in Target) (actions.Result, error) {
			ch, id, err := c.find(ctx, call, in)
			if err != nil {
				return actions.Result{}, err
			}
			if ch.Kind != chat.Announcements {
				return actions.Result{}, fmt.Errorf("%s is not an announcement channel, and only those have followers", called(ch))
			}
			if err := c.server.Crosspost(ctx, ch.ID, id); err != nil {
				return actions.Result{}, fmt.Errorf("publish message %s of %s: %w", id, called(ch), err)
			}
			return actions.Result{Summary: "Published message to followers of " + called(ch)}, nil
		},
	})
}
