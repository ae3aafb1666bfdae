package messaging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// mayManage is needed to change other authors' messages. To the requester, the bot's
// messages are another author's.
var mayManage = []chat.Permission{chat.ViewChannel, chat.ReadHistory, chat.ManageMessages}

// An EditMessage replaces the text of a message.
type EditMessage struct {
	Target
	Content string `json:"content" doc:"The new text." max:"2000"`
}

func (c *Category) editMessage() *actions.Action {
	return define(c, actions.Spec[EditMessage]{
		Name:      "editMessage",
		Brief:     "your own",
		Summary:   "Edit one of your own messages.",
		Sentence:  "Change {messageId} in {channelId} to: {content:text}",
		Needs:     mayManage,
		MayNeed:   actions.ForEmoji,
		Examples:  []EditMessage{{Target: Target{Channel: "general", Message: chat.Last}, Content: "The build is red again."}},
		AlsoNeeds: emoji(c, func(in EditMessage) string { return in.Content }),
		Do: func(ctx context.Context, call actions.Call, in EditMessage) (actions.Result, error) {
			ch, id, err := c.editable(ctx, call, in.Target)
			if err != nil {
				return actions.Result{}, err
			}
			was, err := c.server.Message(ctx, ch.ID, id)
			if err != nil {
				return actions.Result{}, err
			}
			call.Wrote(id)
			err = c.server.Edit(ctx, ch.ID, id, chat.Outgoing{Text: inDiscord(in.Content)})
			return actions.Done(err, "edited "+link("a message", ch, id)+" in "+ch.ID.Mention(), textBack(ch, was)...)
		},
	})
}

// editable finds a message that was sent by an action. A card that is rewritten before it is approved, or a question
// before it is answered, would be a lie.
func (c *Category) editable(ctx context.Context, call actions.Call, t Target) (chat.Channel, chat.MessageID, error) {
	ch, err := c.textChannel(ctx, call, t.place())
	if err != nil {
		return ch, "", err
	}
	if c.Sent == nil {
		return ch, "", errNotSent
	}
	if recent, ok := call.LastSent(ch.ID); t.Message == chat.Last && (!ok || recent != inReply) {
		id, err := c.Sent.Latest(ctx, ch.ID)
		if err == nil && id == "" {
			err = fmt.Errorf("nobody has asked me to send a message to %s, so there is none that I can edit", ch.ID.Mention())
		}
		return ch, id, err
	}
	id, err := c.message(ctx, call, ch, t.Message)
	if err != nil {
		return ch, "", err
	}
	has, err := c.Sent.Has(ctx, ch.ID, id)
	if err == nil && !has {
		err = errNotSent
	}
	return ch, id, err
}

var errNotSent = errors.New("I can only edit messages that I was asked to send, and that is none of them")

// textBack restores the text of a message, if it had any.
func textBack(ch chat.Channel, was chat.Message) []actions.Inverse {
	if was.Text == "" {
		return nil
	}
	return []actions.Inverse{actions.Reverse("give "+link("a message", ch, was.ID)+" in "+ch.ID.Mention()+" its old text", "editMessage",
		EditMessage{Target: exactly(ch, was.ID), Content: was.Text})}
}

func (c *Category) deleteMessage() *actions.Action {
	return define(c, actions.Spec[Target]{
		Name:        "deleteMessage",
		Summary:     "Delete a message.",
		Needs:       []chat.Permission{chat.ViewChannel, chat.ReadHistory},
		MayNeed:     []chat.Permission{chat.ManageMessages},
		AlsoNeeds:   c.mayDelete,
		Destructive: true,
		Examples:    []Target{someMessage},
		Ask: func(ctx context.Context, call actions.Call, in Target) (Target, string, error) {
			ch, id, err := c.find(ctx, call, in)
			if err != nil {
				return in, "", err
			}
			m, err := c.server.Message(ctx, ch.ID, id)
			if err != nil {
				return in, "", err
			}
			return exactly(ch, id), fmt.Sprintf("Delete %s in <#%s>.", call.Quoting(ctx, m, "message"), ch.ID), nil
		},
		Do: c.doing(Server.Delete, "deleted", "", ""),
	})
}

// mayDelete: Discord lets the author of a message delete it. For the bot's, that is the person for whom an action sent it.
func (c *Category) mayDelete(ctx context.Context, call actions.Call, in Target) ([]actions.Demand, error) {
	ch, id, err := c.find(ctx, call, in)
	if err != nil {
		return nil, err
	}
	m, err := c.server.Message(ctx, ch.ID, id)
	if err != nil {
		return nil, err
	}
	manage := []actions.Demand{{Channel: ch.ID, Rights: []chat.Permission{chat.ManageMessages}}}
	switch {
	case m.System:
		return manage, nil // Discord's own words: an alert of AutoMod has the person whom it caught as its author
	case m.Author.ID == call.Origin.Requester:
		return nil, nil
	case m.Author.ID != c.server.Self().ID:
		return manage, nil
	}
	who, err := c.SentFor(ctx, m.Place)
	if err != nil || who != "" && who == call.Origin.Requester {
		return nil, err
	}
	return manage, nil
}

// A BulkDelete deletes the latest messages of a channel.
type BulkDelete struct {
	Channel chat.ChannelRef `json:"channelId" alias:"channel" doc:"Channel name or ID."`
	Count   int             `json:"count" doc:"How many of the latest, not counting the request and your reply." min:"2" max:"100"`
	Before  chat.MessageRef `json:"before,omitempty" rare:"yes" doc:"Only messages before this one, by its ID."`
	After   chat.MessageRef `json:"after,omitempty" rare:"yes" doc:"Only messages after this one, by its ID."`
}

func (in BulkDelete) place() chat.ChannelRef { return in.Channel }

func (in BulkDelete) check() error {
	if in.Before == chat.Last || in.After == chat.Last {
		return errors.New("before and after take a message's handle or ID")
	}
	return nil
}

func (c *Category) bulkDelete() *actions.Action {
	return define(c, actions.Spec[BulkDelete]{
		Name:        "bulkDelete",
		Summary:     "Delete the latest messages of a channel, none older than 14 days.",
		Needs:       mayManage,
		Destructive: true,
		Examples:    []BulkDelete{{Channel: "general", Count: 10}},
		Check:       BulkDelete.check,
		Ask:         c.askBulkDelete,
		Do: func(ctx context.Context, call actions.Call, in BulkDelete) (actions.Result, error) {
			ch, found, err := c.doomed(ctx, call, in)
			if err != nil {
				return actions.Result{}, err
			}
			ids := recent(found, time.Now())
			summary := fmt.Sprintf("deleted %s in %s", chat.Counted(len(ids), "message", "messages"), ch.ID.Mention())
			if len(ids) == 0 {
				summary = fmt.Sprintf("found nothing to delete in %s that is younger than 14 days", ch.ID.Mention())
			} else if older := len(found) - len(ids); older > 0 {
				summary += fmt.Sprintf("; %d older than 14 days stay", older)
			}
			return actions.Done(c.server.BulkDelete(ctx, ch.ID, ids), summary)
		},
	})
}

// doomed are the messages to delete, newest first, whatever their age.
func (c *Category) doomed(ctx context.Context, call actions.Call, in BulkDelete) (chat.Channel, []chat.Message, error) {
	ch, err := c.textChannel(ctx, call, in.Channel)
	if err != nil {
		return ch, nil, err
	}
	before, after := request(call, ch), chat.MessageID("")
	if in.Before != "" {
		if before, err = c.message(ctx, call, ch, in.Before); err != nil {
			return ch, nil, err
		}
	}
	if in.After != "" {
		if after, err = c.message(ctx, call, ch, in.After); err != nil {
			return ch, nil, err
		}
	}
	found, err := c.server.Messages(ctx, ch.ID, before, in.Count)
	if err != nil {
		return ch, nil, err
	}
	found = slices.DeleteFunc(found, func(m chat.Message) bool { return in.After != "" && !m.ID.After(after) })
	return ch, found, nil
}

// askBulkDelete pins the messages to delete. Later ones, or ones that move up when some of
// these are deleted, are not included.
func (c *Category) askBulkDelete(ctx context.Context, call actions.Call, in BulkDelete) (BulkDelete, string, error) {
	ch, found, err := c.doomed(ctx, call, in)
	if err != nil {
		return in, "", err
	}
	ids := recent(found, time.Now())
	if len(ids) == 0 {
		return in, "", fmt.Errorf("there is nothing to delete in %s that is younger than 14 days", ch.ID.Mention())
	}
	newest, oldest := found[0], found[len(ids)-1]
	in.Channel = chat.ChannelRef(ch.ID)
	in.Before, in.After = chat.MessageRef(newest.ID.Next()), chat.MessageRef(oldest.ID.Previous())
	return in, fmt.Sprintf("Delete %d messages in <#%s>: from [this one](%s) by %s to [this one](%s) by %s.",
		len(ids), ch.ID, oldest.Place.Link(), chat.Literal(author(oldest)), newest.Place.Link(), chat.Literal(author(newest))), nil
}

// request is the message of the turn, if it is in the channel. Only older messages count as
// the latest: not the request, nor the reply that is being written, nor messages until the
// approval.
func request(call actions.Call, ch chat.Channel) chat.MessageID {
	if o := call.Origin; o.Flow == actions.FlowMessage && o.Place.Channel == ch.ID {
		return o.Place.Message
	}
	return ""
}

// oldest is the maximum age of messages in a bulk deletion. Discord refuses the whole list
// if one is older than two weeks; the minute is for clock skew.
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
		Aliases:  []string{"RETWEET", "REPOST", "SHARE_POST"},
		Rare:     true,
		Brief:    "publish",
		Summary:  "Publish a message of an announcement channel to its followers.",
		Sentence: "Publish {messageId} in {channelId} to all of its followers",
		Final:    true,
		Needs:    mayManage,
		Examples: []Target{{Channel: "news", Message: chat.Last}},
		Do: func(ctx context.Context, call actions.Call, in Target) (actions.Result, error) {
			ch, id, err := c.find(ctx, call, in)
			if err != nil {
				return actions.Result{}, err
			}
			if ch.Kind != chat.Announcements {
				return actions.Result{}, fmt.Errorf("%s is not an announcement channel, and only those have followers", ch.ID.Mention())
			}
			err = c.server.Crosspost(ctx, ch.ID, id)
			return actions.Done(err, "published "+link("a message", ch, id)+" to the followers of "+ch.ID.Mention())
		},
	})
}
