package fakediscord

import (
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// A MessageType is Discord's number for what caused a message.
type MessageType int

// https://discord.com/developers/docs/resources/message#message-object-message-types
const (
	DefaultMessage MessageType = 0
	NameChange     MessageType = 4 // "ada changed the post title"
	PinNotice      MessageType = 6 // "ada pinned a message"
	ThreadCreated  MessageType = 18
	ReplyMessage   MessageType = 19
	CommandAnswer  MessageType = 20 // the answer to a slash command
	ThreadStarter  MessageType = 21 // stands in a thread for the message it was started from
	PollResult     MessageType = 46
)

// Flags of a message that mean something here.
// https://discord.com/developers/docs/resources/message#message-object-message-flags
const (
	flagCrossposted = 1 << 0
	flagNoEmbeds    = 1 << 2
	flagHasThread   = 1 << 5
	flagEphemeral   = 1 << 6
	flagLoading     = 1 << 7
	flagSilent      = 1 << 12

	flagVoiceMessage  = 1 << 13 // not built
	flagNewComponents = 1 << 15 // not built
	flagVoice         = 1 << 13
	flagForward       = 1 << 14
	flagLayout        = 1 << 15 // its components are all there is
)

// A Message is one message of the world, with properties that Discord does not publish.
type Message struct {
	ID      chat.MessageID `json:"id"`
	Channel chat.ChannelID `json:"-"` // in a file, messages are below their channel
	Author  chat.UserID    `json:"author"`
	Type    MessageType    `json:"type,omitempty"`
	Content string         `json:"content,omitempty"`
	Sent    time.Time      `json:"sent"`
	Edited  time.Time      `json:"edited,omitzero"` // zero if it was never edited
	Pinned  time.Time      `json:"pinned,omitzero"` // zero if it is not pinned
	Flags   int            `json:"flags,omitempty"`
	Nonce   string         `json:"nonce,omitempty"`
	// NumberNonce says that the nonce was sent as a number.
	NumberNonce bool `json:"numberNonce,omitempty"`

	ReplyTo     chat.MessageID `json:"replyTo,omitempty"`    // the message that it replies to, is about, or stands for
	ReplyPlace  chat.ChannelID `json:"replyPlace,omitempty"` // the channel of that
	Embeds      []Embed        `json:"embeds,omitempty"`
	Components  []Component    `json:"components,omitempty"`
	Attachments []Attachment   `json:"attachments,omitempty"`
	Reactions   []Reaction     `json:"reactions,omitempty"`
	Poll        *Poll          `json:"poll,omitempty"` // nil for none
	Stickers    []string       `json:"stickers,omitempty"`
	Forwarded   *Snapshot      `json:"forwarded,omitempty"` // of the message ReplyTo, if it forwards that
	Thread      chat.ChannelID `json:"thread,omitempty"`    // the thread that was started from it
	OnlyFor     chat.UserID    `json:"onlyFor,omitempty"`   // the only member who sees it; ephemeral

	Mentions        []chat.UserID `json:"mentions,omitempty"`
	MentionRoles    []chat.RoleID `json:"mentionRoles,omitempty"`
	MentionEveryone bool          `json:"mentionEveryone,omitempty"`
	// Pings are the users whom Discord would have notified: allowed mentions, expanded to
	// users who can see the channel, without the author.
	Pings []chat.UserID `json:"pings,omitempty"`

	Interaction *Interaction `json:"interaction,omitempty"` // that it answers
	Webhook     string       `json:"webhook,omitempty"`     // the ID of the webhook that posted it under the author's name
}

func (m *Message) clone() Message {
	copied := *m
	copied.Embeds = slices.Clone(m.Embeds)
	copied.Components = slices.Clone(m.Components)
	copied.Attachments = slices.Clone(m.Attachments)
	copied.Mentions = slices.Clone(m.Mentions)
	copied.MentionRoles = slices.Clone(m.MentionRoles)
	copied.Pings = slices.Clone(m.Pings)
	copied.Poll = m.Poll.clone()
	copied.Stickers = slices.Clone(m.Stickers)
	copied.Reactions = nil
	for _, r := range m.Reactions {
		copied.Reactions = append(copied.Reactions, Reaction{Emoji: r.Emoji, Users: slices.Clone(r.Users)})
	}
	return copied
}

// A Snapshot is what a message was when it was forwarded. It is never changed.
type Snapshot struct {
	Content     string       `json:"content,omitempty"`
	Sent        time.Time    `json:"sent"`
	Flags       int          `json:"flags,omitempty"`
	Embeds      []Embed      `json:"embeds,omitempty"`
	Components  []Component  `json:"components,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Stickers    []string     `json:"stickers,omitempty"`
}

// An Attachment is a file that came with a message.
type Attachment struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"` // media type
	Description string `json:"description,omitempty"`
	Data        []byte `json:"data,omitempty"`
	Seconds     int    `json:"seconds,omitempty"` // of a voice message
}

// A Reaction is an emoji below a message, with its users, first one first.
type Reaction struct {
	Emoji string        `json:"emoji"` // not a chat.Emoji, which has another text form
	Users []chat.UserID `json:"users"`
}

// A draft is a message whose author has the rights to post it.
type draft struct {
	author      *Member
	channel     *Channel
	kind        MessageType
	content     string
	embeds      []Embed
	components  []Component
	attachments []Attachment
	poll        *Poll
	stickers    []string
	forwards    chat.MessageID
	forwarded   *Snapshot
	flags       int
	nonce       string
	numberNonce bool
	replyTo     chat.MessageID
	replyPlace  chat.ChannelID
	mentions    *allowedMentions // nil means everything that the author may mention
	interaction *Interaction
	webhook     string
	onlyFor     chat.UserID
	id          chat.MessageID // chosen by the caller, or empty
}

// empty reports whether there is nothing to post.
func (d draft) empty() bool {
	return d.content == "" && len(d.embeds)+len(d.attachments)+len(d.components)+len(d.stickers) == 0 && d.poll == nil && d.forwards == ""
}

// post adds a message to the world and emits it.
func (w *World) post(d draft) *Message {
	m := &Message{
		ID: d.id, Channel: d.channel.ID, Author: d.author.ID, Type: d.kind, Content: d.content, Sent: w.now(),
		Flags: d.flags, Nonce: d.nonce, NumberNonce: d.numberNonce, ReplyTo: d.replyTo, ReplyPlace: d.replyPlace,
		Embeds: d.embeds, Components: numbered(d.components), Attachments: d.attachments, Poll: d.poll, Stickers: d.stickers, Forwarded: d.forwarded,
		OnlyFor: d.onlyFor, Interaction: d.interaction, Webhook: d.webhook,
	}
	if m.ID == "" {
		m.ID = chat.MessageID(w.newID())
	}
	if m.ReplyTo != "" && m.ReplyPlace == "" {
		m.ReplyPlace = m.Channel
	}
	w.mention(m, d.author, d.channel, d.mentions)
	for i := range m.Attachments {
		m.Attachments[i].ID = w.newID()
	}
	w.messages[m.ID] = m
	w.history[m.Channel] = append(w.history[m.Channel], m.ID)
	if d.channel.Type.IsThread() && string(d.channel.ID) != string(m.ID) {
		d.channel.Sent++
		w.joinThread(d.channel, d.author)
	}
	if m.Poll != nil {
		w.awaitEnd(m)
	}
	if m.OnlyFor == "" {
		w.emitMessage("MESSAGE_CREATE", d.channel, m)
	} else {
		w.whisper(m)
	}
	return m
}

// remove deletes a message.
func (w *World) remove(m *Message) {
	delete(w.messages, m.ID)
	if w.touched != nil {
		w.gone = append(w.gone, m.ID)
	}
	w.history[m.Channel] = slices.DeleteFunc(w.history[m.Channel], func(id chat.MessageID) bool { return id == m.ID })
}

// message finds a message of a channel. Ephemeral ones are not found.
func (w *World) message(c *Channel, id string) *Message {
	if m := w.messages[chat.MessageID(id)]; m != nil && m.Channel == c.ID && m.OnlyFor == "" {
		return m
	}
	return nil
}

// public are the messages of a channel that are not ephemeral, oldest first.
func (w *World) public(c *Channel) []*Message {
	var all []*Message
	for _, id := range w.history[c.ID] {
		if m := w.messages[id]; m.OnlyFor == "" {
			all = append(all, m)
		}
	}
	return all
}
