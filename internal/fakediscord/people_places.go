package fakediscord

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// Channels that members open: threads, posts and direct messages with the bot.

// StartThreadOn starts a thread below a message, and returns it.
func (w *World) StartThreadOn(user string, message chat.MessageID, name string) (Channel, error) {
	var started Channel
	err := w.on(user, message, func(who *Member, where *Channel, m *Message) error {
		switch {
		case where.Type != TextChannel && where.Type != AnnouncementChannel:
			return fmt.Errorf("%s has no threads below messages", where)
		case !w.permissions(who, where).Has(publicThreads | readHistory):
			return fmt.Errorf("%s cannot start threads in %s", who.Name, where)
		case isSystem(m.Type) || m.OnlyFor != "":
			return errors.New("no thread can be started below such a message")
		case m.Thread != "":
			return fmt.Errorf("message %s has a thread already", m.ID)
		}
		thread := &Channel{ID: chat.ChannelID(m.ID), Type: where.Type.threads(), Name: name, Parent: where.ID}
		w.openThread(thread, who, "")
		m.Thread, m.Flags = thread.ID, m.Flags|flagHasThread
		w.emitMessage("MESSAGE_UPDATE", where, m)
		w.post(draft{author: who, channel: thread, kind: ThreadStarter, replyTo: m.ID, replyPlace: where.ID})
		started = thread.clone()
		return nil
	})
	return started, err
}

// StartPost starts a post in a forum, with its first message and the IDs of its
// tags, and returns it.
func (w *World) StartPost(user, forum, name, text string, tags ...string) (Channel, error) {
	var started Channel
	err := w.change(func() error {
		who, where, err := w.whoAndWhere(user, forum)
		if err != nil {
			return err
		}
		if err := w.mayPost(who, where, tags); err != nil {
			return fmt.Errorf("%s cannot write a post in %s: %w", who.Name, where, err)
		}
		text = strings.TrimSpace(text)
		if err := checkLength(text); err != nil {
			return err
		}
		if text == "" {
			return fmt.Errorf("a post in %s begins with a message: %w", where, errEmptyMessage)
		}
		post := w.openThread(&Channel{Type: PublicThread, Name: name, Parent: where.ID, AppliedTags: slices.Clone(tags)}, who, "")
		w.post(draft{author: who, channel: post, content: text, id: chat.MessageID(post.ID)})
		started = post.clone()
		return nil
	})
	return started, err
}

// RenameThread gives a thread or post another name, as a member who started it or manages threads does.
func (w *World) RenameThread(user, thread, name string) error {
	return w.change(func() error {
		who, where, err := w.whoAndWhere(user, thread)
		switch {
		case err != nil:
			return err
		case !where.Type.IsThread() || where.Archived:
			return fmt.Errorf("%s is not a thread that can be renamed", where)
		case where.Owner != who.ID && !w.permissions(who, where).Has(manageThreads):
			return fmt.Errorf("%s cannot rename %s: %w", who.Name, where, errMissingPermissions)
		}
		before := where.Name
		where.Name = name
		w.emitThread(where, before, who)
		return nil
	})
}

func (w *World) mayPost(who *Member, forum *Channel, tags []string) error {
	may := w.permissions(who, forum)
	switch {
	case forum.Type != ForumChannel:
		return errWrongChannelType
	case !may.Has(sendMessages):
		return errMissingPermissions
	case forum.RequireTag && len(tags) == 0:
		return errTagRequired
	}
	return w.checkApplied(forum, nil, tags, may)
}

// OpenDM opens the direct messages of a member and the bot, if they are not open yet, and
// returns the channel.
func (w *World) OpenDM(member string) (opened Channel, err error) {
	err = w.change(func() error {
		m := w.member(member)
		switch {
		case m == nil:
			return fmt.Errorf("there is no member %s", member)
		case m.Bot:
			return errors.New("the bot does not write to itself")
		}
		opened = w.openDM(m).clone()
		return nil
	})
	return opened, err
}
