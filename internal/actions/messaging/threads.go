package messaging

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

func (c *Category) threads() []*actions.Action {
	return []*actions.Action{c.threadCreate()}
}

// A ThreadCreate starts a public thread, which in a forum is called a post.
type ThreadCreate struct {
	Channel            chat.ChannelRef `json:"channelId,omitempty" alias:"channel" doc:"Channel or forum, name or ID; the message's or the current one if it is left out."`
	Name               string          `json:"name" doc:"The thread's name, cut after 100 characters."`
	Content            string          `json:"content,omitempty" doc:"In a forum, and only there: its first message, required." max:"2000"`
	AppliedTags        []string        `json:"appliedTags,omitempty" doc:"In a forum: its tags, names or IDs." max:"5"`
	Message            chat.MessageRef `json:"messageId,omitempty" alias:"message" doc:"Message to start from."`
	AutoArchiveMinutes int             `json:"autoArchiveMinutes,omitempty" rare:"archiv,idle" doc:"Archive when idle for 60, 1440, 4320 or 10080 minutes." default:"1440"`
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
		Summary:  "Start a public thread in a channel, from one of its messages, or in a forum.",
		Sentence: "Start the thread {name} in {channelId}[ from {messageId}][, with the tags {appliedTags}], archived when it is idle for {autoArchiveMinutes:minute}[, with the text {content:text}]",
		Needs:    []chat.Permission{chat.ViewChannel, chat.CreateThreads},
		MayNeed:  append([]chat.Permission{chat.ManageThreads}, actions.ForEmoji...),
		Examples: []ThreadCreate{{Channel: "general", Name: "Release 2.0"}},
		Check:    ThreadCreate.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in ThreadCreate) (chat.ChannelID, error) {
			ch, err := c.channel(ctx, call, in.place(call))
			return ch.ID, err
		},
		AlsoNeeds: func(ctx context.Context, call actions.Call, in ThreadCreate) ([]actions.Demand, error) {
			tags, err := c.reservedTags(ctx, call, in)
			if err != nil {
				return nil, err
			}
			emoji, err := emoji(c, func(in ThreadCreate) string { return in.Content })(ctx, call, in)
			return append(tags, emoji...), err
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
	thread, err := c.server.StartThread(ctx, ch.ID, from, threadName(in.Name), in.archiveAfter())
	if err != nil {
		return actions.Result{}, err
	}
	return actions.Result{Summary: fmt.Sprintf("started the thread %s in %s", thread.ID.Mention(), ch.ID.Mention()), Undo: unmake(thread)}, nil
}

func (c *Category) startPost(ctx context.Context, call actions.Call, forum chat.Channel, in ThreadCreate) (actions.Result, error) {
	var post chat.Channel
	var first chat.MessageID
	err := call.Paced(ctx, c.server, forum, func() (err error) {
		post, first, err = c.server.StartPost(ctx, forum.ID, threadName(in.Name), in.Content, in.AppliedTags, in.archiveAfter())
		return err
	})
	if err != nil {
		return actions.Result{}, err
	}
	c.record(ctx, call, post.ID, first)
	return actions.Result{Summary: fmt.Sprintf("started the post %s in %s", post.ID.Mention(), forum.ID.Mention()), Undo: unmake(post)}, nil
}

// unmake deletes a new thread, with the messages there since. The type is of another
// category; if that is switched off, the thread stays.
func unmake(thread chat.Channel) []actions.Inverse {
	return []actions.Inverse{actions.Reverse(fmt.Sprintf("delete %s with everything in it", thread.ID.Mention()), "channelDelete",
		struct {
			Channel chat.ChannelID `json:"channelId"`
		}{thread.ID})}
}

// reservedTags: the bot can set all tags, but moderated ones need Manage Threads.
func (c *Category) reservedTags(ctx context.Context, call actions.Call, in ThreadCreate) ([]actions.Demand, error) {
	forum, err := c.channel(ctx, call, in.place(call))
	if err != nil {
		return nil, err
	}
	reserved := slices.ContainsFunc(forum.Tags, func(t chat.Tag) bool {
		return t.Moderated && slices.ContainsFunc(in.AppliedTags, func(written string) bool {
			written = strings.TrimSpace(written)
			return written == t.ID || strings.EqualFold(written, t.Name)
		})
	})
	if !reserved {
		return nil, nil
	}
	return []actions.Demand{{Channel: forum.ID, Rights: []chat.Permission{chat.ManageThreads}}}, nil
}

// checkThreads refuses channels without threads, and options that their kind does not have.
func checkThreads(ch chat.Channel, in ThreadCreate) error {
	switch {
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
func threadName(s string) string {
	s = chat.OneLine(s)
	if chat.Length(s) <= maxThreadNameLength {
		return s
	}
	left := maxThreadNameLength - 1 // one is for the ellipsis
	end := strings.IndexFunc(s, func(r rune) bool {
		left -= chat.Length(string(r))
		return left < 0
	})
	return strings.TrimSpace(s[:end]) + "…"
}
