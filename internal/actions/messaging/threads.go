package messaging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A ThreadCreate starts a thread, which in a forum is called a post.
type ThreadCreate struct {
	Channel            chat.ChannelRef `json:"channelId,omitempty" alias:"channel" doc:"Channel or forum, name or ID; the message's or the current one if it is left out."`
	Name               string          `json:"name" doc:"The thread's name, cut after 100 characters."`
	Content            string          `json:"content,omitempty" doc:"In a forum, and only there: its first message, required." max:"2000"`
	AppliedTags        []string        `json:"appliedTags,omitempty" doc:"In a forum: its tags, names or IDs." max:"5"`
	Message            chat.MessageRef `json:"messageId,omitempty" alias:"message" doc:"Message to start from."`
	Private            bool            `json:"private,omitempty" doc:"In a text channel: only its members and those who manage threads see it."`
	Members            []chat.UserRef  `json:"members,omitempty" rare:"yes" doc:"People to add: names, mentions or IDs; who asks is added to a private thread anyway." max:"20"`
	AutoArchiveMinutes int             `json:"autoArchiveMinutes,omitempty" rare:"yes" doc:"Archive when idle for 60, 1440, 4320 or 10080 minutes." default:"1440"`
}

// place is the channel that is named, or that of the message, or the current one.
func (in ThreadCreate) place(call actions.Call) chat.ChannelRef {
	return cmp.Or(placeOf(in.Channel, in.Message), chat.ChannelRef(call.Origin.Place.Channel))
}

// check: Discord allows an hour, a day, three days and a week.
func (in ThreadCreate) check() error {
	if !slices.Contains([]int{60, 1440, 4320, 10080}, in.AutoArchiveMinutes) {
		return fmt.Errorf("autoArchiveMinutes: %d is not one of 60, 1440, 4320, 10080", in.AutoArchiveMinutes)
	}
	return nil
}

func (in ThreadCreate) archiveAfter() time.Duration {
	return time.Duration(in.AutoArchiveMinutes) * time.Minute
}

func (c *Category) threadCreate() *actions.Action {
	return actions.Define(actions.Spec[ThreadCreate]{
		Name:     "threadCreate",
		Aliases:  []string{"CREATE_THREAD", "START_THREAD", "OPEN_THREAD"},
		Brief:    "content: forums only",
		Summary:  "Start a thread in a channel, from one of its messages, or in a forum.",
		Sentence: "Start the [{private?private} ]thread {name} in {channelId}[ from {messageId}][, with {members}][, with the tags {appliedTags}], archived when it is idle for {autoArchiveMinutes:minute}[, with the text {content:text}]",
		Needs:    []chat.Permission{chat.ViewChannel},
		MayNeed: append([]chat.Permission{chat.CreateThreads, chat.CreatePrivateThreads, chat.SendInThreads, chat.ManageThreads},
			actions.ForEmoji...),
		Examples: []ThreadCreate{{Channel: "general", Name: "Release 2.0"}, {Channel: "design", Name: "Logo contract", Private: true, Members: []chat.UserRef{"mia"}}},
		Check:    ThreadCreate.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in ThreadCreate) (chat.ChannelID, error) {
			ch, err := c.channel(ctx, call, in.place(call))
			return ch.ID, err
		},
		AlsoNeeds: func(ctx context.Context, call actions.Call, in ThreadCreate) ([]actions.Demand, error) {
			place, err := c.channel(ctx, call, in.place(call))
			if err != nil {
				return nil, err
			}
			emoji, err := emoji(c, func(in ThreadCreate) string { return in.Content })(ctx, call, in)
			return append([]actions.Demand{{Channel: place.ID, Rights: in.rights(place)}}, emoji...), err
		},
		Do: func(ctx context.Context, call actions.Call, in ThreadCreate) (actions.Result, error) {
			ch, err := c.channel(ctx, call, in.place(call))
			if err == nil {
				err = checkThreads(ch, in)
			}
			switch {
			case err != nil:
				return actions.Result{}, err
			case ch.Kind.HasPosts():
				return c.startPost(ctx, call, ch, in)
			}
			return c.startThread(ctx, call, ch, in)
		},
	})
}

func (c *Category) startThread(ctx context.Context, call actions.Call, ch chat.Channel, in ThreadCreate) (actions.Result, error) {
	var from chat.MessageID
	if in.Message != "" {
		var err error
		if from, err = c.message(ctx, call, ch, in.Message); err != nil {
			return actions.Result{}, err
		}
	}
	guests, err := c.guests(ctx, call, ch, in)
	if err != nil {
		return actions.Result{}, err
	}
	thread, what := chat.Channel{}, "thread"
	if in.Private {
		what = "private thread"
		thread, err = c.server.StartPrivateThread(ctx, ch.ID, threadName(in.Name), in.archiveAfter())
	} else {
		thread, err = c.server.StartThread(ctx, ch.ID, from, threadName(in.Name), in.archiveAfter())
	}
	if err != nil {
		return actions.Result{}, err
	}
	summary := fmt.Sprintf("started the %s %s in %s", what, thread.ID.Mention(), ch.ID.Mention()) + c.welcome(ctx, thread, guests)
	res, err := actions.Done(nil, summary, unmake(thread))
	res.Seen = !in.Private && len(guests) == 0 && call.Origin.Place.Channel == ch.ID
	return res, err
}

// guests are the users to add to a new thread. Discord would also add those who do not see the channel around it, and
// hide the thread from them, so they are refused.
func (c *Category) guests(ctx context.Context, call actions.Call, ch chat.Channel, in ThreadCreate) ([]chat.UserID, error) {
	all := chat.As[chat.UserID](in.Members) // names are IDs by now
	if in.Private {
		all = append(all, call.Origin.Requester)
	}
	var guests []chat.UserID
	for _, u := range all {
		if u == "" || u == c.server.Self().ID || slices.Contains(guests, u) {
			continue
		}
		switch missing, err := c.server.MissingPermissions(ctx, ch.Guild, u, ch.ID, []chat.Permission{chat.ViewChannel}); {
		case err != nil:
			return nil, err
		case len(missing) > 0:
			return nil, fmt.Errorf("%s does not see %s, and so would not see the thread; leave them out, or choose another channel", u.Mention(), ch.ID.Mention())
		}
		guests = append(guests, u)
	}
	return guests, nil
}

// welcome adds users to a new thread and returns that in words, also who could not be added: the thread is there in any case.
func (c *Category) welcome(ctx context.Context, thread chat.Channel, guests []chat.UserID) (words string) {
	var added, problems []string
	for _, u := range guests {
		if err := c.server.AddToThread(ctx, thread.ID, u); err != nil {
			problems = append(problems, fmt.Sprintf("; %s could not be added: %v", u.Mention(), err))
			continue
		}
		added = append(added, u.Mention())
	}
	if len(added) > 0 {
		words = " with " + chat.And(added)
	}
	return words + strings.Join(problems, "")
}

func (c *Category) startPost(ctx context.Context, call actions.Call, forum chat.Channel, in ThreadCreate) (actions.Result, error) {
	var post chat.Channel
	var first chat.MessageID
	err := call.Paced(ctx, c.server, forum, func() (err error) {
		post, first, err = c.server.StartPost(ctx, forum.ID, threadName(in.Name), in.Content, in.AppliedTags, in.archiveAfter())
		return err
	})
	if err == nil {
		c.record(ctx, call, post.ID, first)
	}
	return actions.Done(err, fmt.Sprintf("started the post %s in %s", post.ID.Mention(), forum.ID.Mention()), unmake(post))
}

// unmake deletes a new thread, with the messages there since. The type is of another
// category; if that is switched off, the thread stays.
func unmake(thread chat.Channel) actions.Inverse {
	return actions.Reverse(fmt.Sprintf("delete %s with everything in it", thread.ID.Mention()), "channelDelete",
		struct {
			Channel chat.ChannelID `json:"channelId"`
		}{thread.ID})
}

// rights are what the requester must have in the channel around the thread, as Discord would demand it of them.
func (in ThreadCreate) rights(around chat.Channel) []chat.Permission {
	rights := []chat.Permission{chat.CreateThreads}
	if in.Private {
		rights = []chat.Permission{chat.CreatePrivateThreads}
	}
	if len(in.Members) > 0 {
		rights = append(rights, chat.SendInThreads)
	}
	if in.reservedTags(around) {
		rights = append(rights, chat.ManageThreads)
	}
	return rights
}

// reservedTags: the bot can set all tags, but moderated ones need Manage Threads.
func (in ThreadCreate) reservedTags(forum chat.Channel) bool {
	return slices.ContainsFunc(forum.Tags, func(t chat.Tag) bool {
		return t.Moderated && slices.ContainsFunc(in.AppliedTags, func(written string) bool {
			written = strings.TrimSpace(written)
			return written == t.ID || strings.EqualFold(written, t.Name)
		})
	})
}

// checkThreads refuses channels without threads, and options that their kind does not have.
func checkThreads(ch chat.Channel, in ThreadCreate) error {
	switch {
	case in.Private && in.Message != "":
		return errors.New("a thread on a message cannot be private; make it public, or start a private one without a message")
	case in.Private && (ch.Kind.HasPosts() || ch.Kind == chat.Announcements):
		return fmt.Errorf("%s is no text channel, and private threads exist in these alone; choose one, or leave out private", ch.ID.Mention())
	case ch.Kind.HasPosts() && len(in.Members) > 0:
		return fmt.Errorf("%s is a %s channel, where no members are added to a new thread; leave them out", ch.ID.Mention(), ch.Kind)
	case ch.Kind.HasPosts() && in.Content == "":
		return fmt.Errorf("%s is a %s channel, where a thread begins with a message; say what that is", ch.ID.Mention(), ch.Kind)
	case ch.Kind.HasPosts() && in.Message != "":
		return fmt.Errorf("%s is a %s channel, where a thread begins with a text of its own, not with another message", ch.ID.Mention(), ch.Kind)
	case ch.Kind.HasPosts():
		return nil
	case ch.Kind == chat.Thread:
		return fmt.Errorf("%s is a thread itself, and threads have none; choose the channel around it", ch.ID.Mention())
	case ch.Kind != chat.TextChannel && ch.Kind != chat.Announcements:
		return fmt.Errorf("%s is a %s channel, which has no threads; choose a text channel or a forum", ch.ID.Mention(), ch.Kind)
	case len(in.AppliedTags) > 0:
		return fmt.Errorf("%s is no forum, and only threads in a forum have tags; leave them out", ch.ID.Mention())
	case in.Content != "":
		return fmt.Errorf("%s is no forum, and only threads in a forum begin with a text; leave it out, then send it to the thread", ch.ID.Mention())
	}
	return nil
}

// maxThreadNameLength is Discord's limit for the name of a thread.
const maxThreadNameLength = 100

// threadName makes a name of one line that is not too long.
func threadName(s string) string { return chat.Shorten(chat.OneLine(s), maxThreadNameLength) }
