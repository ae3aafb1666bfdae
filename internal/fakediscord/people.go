package fakediscord

import (
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// Actions of members. Each function acts as one member in Discord's own client would, and
// refuses with a sentence what that would refuse.

// A SayOption adds something to a message.
type SayOption func(*draft)

// Answering makes it a reply, which notifies the author of the other message, as in
// Discord's own client.
func Answering(id chat.MessageID) SayOption {
	return func(d *draft) { d.kind, d.replyTo = ReplyMessage, id }
}

// Attaching adds a file.
func Attaching(name, mediaType string, data []byte) SayOption {
	return func(d *draft) {
		d.attachments = append(d.attachments, Attachment{Name: name, Type: mediaType, Data: data})
	}
}

// Forwarding makes it a forward of another message, which is all there is in it.
func Forwarding(id chat.MessageID) SayOption {
	return func(d *draft) { d.forwards, d.flags = id, d.flags|flagForward }
}

// Speaking makes it a voice message.
func Speaking(seconds int) SayOption {
	return func(d *draft) {
		d.attachments = append(d.attachments, Attachment{Name: "voice-message.ogg", Type: "audio/ogg", Data: []byte("OggS"), Seconds: seconds})
		d.flags |= flagVoice
	}
}

// ThroughWebhook makes it a message of a webhook that has taken the member's name. It has the member's ID too, which
// Discord would not allow: whoever recognizes people by their ID alone is fooled.
func ThroughWebhook(h Webhook) SayOption {
	return func(d *draft) { d.webhook = h.ID }
}

// WithSticker adds a sticker.
func WithSticker(name string) SayOption {
	return func(d *draft) { d.stickers = append(d.stickers, name) }
}

// WithPoll adds a poll that is open for a day.
func WithPoll(question string, answers ...string) SayOption {
	return func(d *draft) {
		d.poll = &Poll{Question: question, Answers: answers, Ends: time.Now().Add(usualPollHours * time.Hour).Truncate(time.Millisecond)}
	}
}

// WithEmbed adds an embed, such as Discord makes of a link.
func WithEmbed(e Embed) SayOption { return func(d *draft) { d.embeds = append(d.embeds, e) } }

// WithComponents makes it a message of components. Discord's own client has none; apps post them for people.
func WithComponents(list ...Component) SayOption {
	return func(d *draft) { d.components, d.flags = list, d.flags|flagLayout }
}

// Say posts a message. Mentions are written as <@id>. The channel @bot is the member's
// direct messages with the bot.
func (w *World) Say(user, channel, text string, options ...SayOption) (Message, error) {
	var said Message
	err := w.change(func() error {
		who, where, err := w.whoAndWhere(user, channel)
		if err != nil {
			return err
		}
		d := draft{author: who, channel: where, content: strings.TrimSpace(text)}
		for _, option := range options {
			option(&d)
		}
		if err := checkLength(d.content); err != nil {
			return err
		}
		if d.replyTo != "" && w.message(where, string(d.replyTo)) == nil {
			return fmt.Errorf("there is no message %s in %s", d.replyTo, where)
		}
		if err := w.forward(&d); err != nil {
			return err
		}
		if err := w.maySend(d, w.permissions(who, where)); err != nil {
			return fmt.Errorf("%s cannot write in %s: %w", who.Name, where, err)
		}
		w.wake(where)
		said = w.post(d).clone()
		return nil
	})
	return said, err
}

// forward finds the message that a draft forwards, and keeps it as it is now.
func (w *World) forward(d *draft) error {
	if d.forwards == "" {
		return nil
	}
	m := w.messages[d.forwards]
	if m == nil || !w.sees(d.author, w.channels[m.Channel]) {
		return fmt.Errorf("%s does not see a message %s", d.author.Name, d.forwards)
	}
	s := m.clone()
	d.replyTo, d.replyPlace = s.ID, s.Channel
	d.forwarded = &Snapshot{
		Content: s.Content, Sent: s.Sent, Flags: s.Flags, Embeds: s.Embeds, Components: s.Components, Attachments: s.Attachments, Stickers: s.Stickers,
	}
	return nil
}

// checkLength refuses texts that Discord's own client would not send.
func checkLength(text string) error {
	if n := chat.Length(text); n > maxContent {
		return fmt.Errorf("the message has %d characters, and Discord takes %d", n, maxContent)
	}
	return nil
}

// EditAs changes the text of a member's own message.
func (w *World) EditAs(user string, id chat.MessageID, text string) error {
	return w.on(user, id, func(who *Member, where *Channel, m *Message) error {
		switch {
		case m.Author != who.ID:
			return fmt.Errorf("%s cannot edit what somebody else wrote", who.Name)
		case where.Archived:
			return fmt.Errorf("%s is archived", where)
		case strings.TrimSpace(text) == "" && len(m.Attachments) == 0:
			return fmt.Errorf("%s cannot leave the message empty", who.Name)
		}
		if err := checkLength(text); err != nil {
			return err
		}
		m.Content = strings.TrimSpace(text)
		w.edited(where, m, nil)
		return nil
	})
}

// DeleteAs deletes a member's own message or, with the right for it, any. An ephemeral
// message is dismissed.
func (w *World) DeleteAs(user string, id chat.MessageID) error {
	return w.on(user, id, func(who *Member, where *Channel, m *Message) error {
		if m.OnlyFor == who.ID {
			w.remove(m)
			w.whisper(m)
			return nil
		}
		if m.Author != who.ID && !w.permissions(who, where).Has(manageMessages) {
			return fmt.Errorf("%s cannot delete what somebody else wrote", who.Name)
		}
		w.deleteMessages(where, m)
		return nil
	})
}

// React adds a reaction.
func (w *World) React(user string, id chat.MessageID, emoji chat.Emoji) error {
	return w.on(user, id, func(who *Member, where *Channel, m *Message) error {
		if err := w.react(who, where, m, emoji); err != nil {
			return fmt.Errorf("%s cannot react in %s: %w", who.Name, where, err)
		}
		return nil
	})
}

// Unreact removes a member's own reaction.
func (w *World) Unreact(user string, id chat.MessageID, emoji chat.Emoji) error {
	return w.on(user, id, func(who *Member, where *Channel, m *Message) error {
		if err := w.unreact(who, where, m, emoji); err != nil {
			return fmt.Errorf("%s cannot take back a reaction in %s: %w", who.Name, where, err)
		}
		return nil
	})
}

// PinAs pins a message.
func (w *World) PinAs(user string, id chat.MessageID) error {
	return w.on(user, id, func(who *Member, where *Channel, m *Message) error {
		if where.Type != DMChannel && !w.permissions(who, where).Has(pinMessages) {
			return fmt.Errorf("%s cannot pin in %s", who.Name, where)
		}
		return w.pin(who, where, m)
	})
}

// StartThread starts a public thread in a text or announcement channel, and
// returns it.
func (w *World) StartThread(user, channel, name string) (Channel, error) {
	var started Channel
	err := w.change(func() error {
		who, where, err := w.whoAndWhere(user, channel)
		switch {
		case err != nil:
			return err
		case where.Type != TextChannel && where.Type != AnnouncementChannel:
			return fmt.Errorf("%s has no threads that start without a message", where)
		case !w.permissions(who, where).Has(publicThreads):
			return fmt.Errorf("%s cannot start threads in %s", who.Name, where)
		}
		thread := w.openThread(&Channel{Type: where.Type.threads(), Name: name, Parent: where.ID}, who, "")
		w.post(draft{author: who, channel: where, kind: ThreadCreated, content: name, replyPlace: thread.ID})
		started = thread.clone()
		return nil
	})
	return started, err
}

// whoAndWhere finds a member and a channel that the member sees.
func (w *World) whoAndWhere(user, channel string) (*Member, *Channel, error) {
	who := w.member(user)
	if who == nil {
		return nil, nil, fmt.Errorf("there is no member %s", user)
	}
	where := w.channel(channel)
	if channel == "@bot" && !who.Bot {
		where = w.openDM(who)
	}
	if where == nil {
		return nil, nil, w.noChannel(channel)
	}
	if !w.sees(who, where) {
		return nil, nil, fmt.Errorf("%s does not see %s", who.Name, where)
	}
	if g := w.guild(where.Guild); g != nil {
		who = g.person(who.ID)
	}
	return who, where, nil
}

// on changes a message for a member who sees it.
func (w *World) on(user string, id chat.MessageID, do func(*Member, *Channel, *Message) error) error {
	return w.change(func() error {
		m := w.messages[id]
		if m == nil {
			return fmt.Errorf("there is no message %s", id)
		}
		who, where, err := w.whoAndWhere(user, string(m.Channel))
		if err != nil {
			return err
		}
		return do(who, where, m)
	})
}
