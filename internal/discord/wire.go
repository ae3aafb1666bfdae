package discord

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Types with names in wire… have those fields of Discord's objects that are used, and no others: a field that is not read
// cannot spoil the rest. Those of discordgo have all of them, and refuse a whole message for one component that they do not
// know. Package lenient explains the tag wire.

// wireMessage is a message. Its components stay undecoded until they are needed.
type wireMessage struct {
	ID           string                `json:"id"`
	Channel      string                `json:"channel_id"`
	Guild        string                `json:"guild_id"`
	Type         discordgo.MessageType `json:"type"`
	Content      string                `json:"content"`
	Edited       *string               `json:"edited_timestamp" wire:"optional"`
	Author       *wireUser             `json:"author"`
	Member       *wireMember           `json:"member" wire:"optional"`
	Webhook      string                `json:"webhook_id"`
	Mentions     []wireMention         `json:"mentions" wire:"optional"`
	Attachments  []wireAttachment      `json:"attachments" wire:"optional"`
	Embeds       []wireEmbed           `json:"embeds" wire:"optional"`
	StickerItems []struct {
		Name string `json:"name"`
	} `json:"sticker_items" wire:"optional"`
	Reactions []struct {
		Emoji wireReactionEmoji `json:"emoji"`
		Count int               `json:"count" wire:"optional"`
		Me    bool              `json:"me" wire:"optional"`
	} `json:"reactions" wire:"optional"`
	Pinned    bool `json:"pinned" wire:"optional"`
	Reference *struct {
		Type    discordgo.MessageReferenceType `json:"type"`
		Message string                         `json:"message_id"`
	} `json:"message_reference" wire:"optional"`
	Referenced *wireMessage           `json:"referenced_message" wire:"optional"`
	Components json.RawMessage        `json:"components"`
	Poll       *wirePoll              `json:"poll" wire:"optional"`
	Flags      discordgo.MessageFlags `json:"flags" wire:"optional"`
	Snapshots  []struct {
		Message wireMessage `json:"message"`
	} `json:"message_snapshots" wire:"optional"`
}

// wireMention is a user whom a message mentions. Events on a server also have the member.
type wireMention struct {
	wireUser
	Member *wireMember `json:"member" wire:"optional"`
}

type wireAttachment struct {
	Name    string  `json:"filename" wire:"optional"`
	Type    string  `json:"content_type" wire:"optional"`
	Size    int     `json:"size" wire:"optional"`
	URL     string  `json:"url"`
	Seconds float64 `json:"duration_secs" wire:"optional"`
}

type wireEmbed struct {
	Title       string `json:"title" wire:"optional"`
	Description string `json:"description" wire:"optional"`
	URL         string `json:"url" wire:"optional"`
	Footer      struct {
		Text string `json:"text"`
	} `json:"footer" wire:"optional"`
	Author struct {
		Name string `json:"name"`
	} `json:"author" wire:"optional"`
	Fields []struct {
		Name  string `json:"name" wire:"optional"`
		Value string `json:"value" wire:"optional"`
	} `json:"fields" wire:"optional"`
}

// wireReactionEmoji is an emoji as a reaction has it: a plain one has no ID.
type wireReactionEmoji struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (w wireReactionEmoji) emoji() chat.Emoji {
	e := discordgo.Emoji{ID: w.ID, Name: w.Name}
	return chat.Emoji(e.APIName())
}

// hasStop reports whether the message is a placeholder, or an answer that is still being written.
func (w wireMessage) hasStop() bool {
	return slices.ContainsFunc(w.buttons(), func(b button) bool { return b.Label == chat.StopLabel })
}

// isAnswer reports whether all buttons of the message are those below an answer.
func (w wireMessage) isAnswer() bool {
	all := w.buttons()
	return len(all) > 0 && !slices.ContainsFunc(all, func(b button) bool { return !strings.HasPrefix(b.ID, chat.BelowAnswer) })
}

// buttons returns the buttons of the message.
func (w wireMessage) buttons() []button {
	var rows []row
	if json.Unmarshal(w.Components, &rows) != nil {
		return nil // components that the bot never posts
	}
	var list []button
	for _, r := range rows {
		list = append(list, r.Components...)
	}
	return list
}

// message makes a chat.Message of it. The place is the channel's.
func (w wireMessage) message(place chat.Place) chat.Message {
	place.Message = chat.MessageID(w.ID)
	m := chat.Message{
		ID:         place.Message,
		Place:      place,
		Webhook:    w.Webhook != "",
		System:     w.Type != discordgo.MessageTypeDefault && w.Type != discordgo.MessageTypeReply,
		Text:       w.Content,
		Sent:       sentAt(w.ID),
		Pinned:     w.Pinned,
		Buttons:    len(w.Components) > len("[]") && !w.isAnswer(),
		Components: strings.Join(componentTexts(w.Components), "\n"),
	}
	m.Unfinished = m.Buttons && w.hasStop()
	if w.Author != nil {
		m.Author = userFrom(*w.Author, w.Member)
	}
	if w.Type == discordgo.MessageTypeReply && w.Reference != nil {
		m.ReplyTo = chat.MessageID(w.Reference.Message)
	}
	if w.Referenced != nil && (m.ReplyTo != "" || w.Type == discordgo.MessageTypeThreadStarterMessage) {
		of := place
		if m.ReplyTo == "" {
			of = place.Top() // a thread is started on a message of its channel
		}
		answers := w.Referenced.message(of)
		m.Answers = &answers
	}
	mentioned := chat.Mentioned(w.Content)
	for _, u := range w.Mentions {
		// Discord also lists the author of the message that is replied to. If it withholds the
		// content, its list is all there is.
		if id := chat.UserID(u.ID); w.contentWithheld() || mentioned[id] {
			m.Mentions = append(m.Mentions, id)
		}
	}
	for _, a := range w.Attachments {
		m.Attachments = append(m.Attachments, w.attachment(a))
	}
	for _, s := range w.StickerItems {
		m.StickerNames = append(m.StickerNames, s.Name)
	}
	for _, e := range w.Embeds {
		m.Embeds = append(m.Embeds, embedFrom(e))
	}
	if w.Poll != nil {
		m.Poll = w.Poll.poll()
	}
	m.Forwards = w.forwarded()
	for _, r := range w.Reactions {
		m.Reactions = append(m.Reactions, chat.Reaction{Emoji: r.Emoji.emoji(), Count: r.Count, Mine: r.Me})
	}
	return m
}

// forwarded is the message that this one forwards, or nil. Discord sends one snapshot at most. A secret in it is
// taken out here, before anybody can write it down.
func (w wireMessage) forwarded() *chat.Message {
	if w.Reference == nil || w.Reference.Type != discordgo.MessageReferenceTypeForward || len(w.Snapshots) == 0 {
		return nil
	}
	m := w.Snapshots[0].Message.message(chat.Place{})
	if _, secret := chat.CutSecret(m.Text); secret {
		return &chat.Message{Text: "(a secret, told to the bot alone)"} // without its files, too
	}
	return &m
}

func (w wireMessage) attachment(a wireAttachment) chat.Attachment {
	file := chat.Attachment{Name: a.Name, Type: a.Type, Size: a.Size, URL: a.URL}
	if w.Flags&discordgo.MessageFlagsIsVoiceMessage != 0 {
		file.Spoken = max(time.Second, time.Duration(a.Seconds)*time.Second)
	}
	return file
}

// contentWithheld reports whether Discord withholds the content of the message, as it does from bots
// without the Message Content intent.
func (w wireMessage) contentWithheld() bool {
	written := w.Type == discordgo.MessageTypeDefault || w.Type == discordgo.MessageTypeReply
	return written && w.Content == "" && len(w.Attachments)+len(w.Embeds)+len(w.StickerItems) == 0 && w.Poll == nil &&
		len(w.Components) <= len("[]") && len(w.Snapshots) == 0
}

// sentAt returns when a message was written or a channel made, by its ID.
func sentAt(id string) time.Time {
	t, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func embedFrom(e wireEmbed) chat.Embed {
	out := chat.Embed{Title: e.Title, Description: e.Description, URL: e.URL, Footer: e.Footer.Text, Author: e.Author.Name}
	for _, f := range e.Fields {
		out.Fields = append(out.Fields, chat.EmbedField{Name: f.Name, Value: f.Value})
	}
	return out
}

// Kinds of components that have a text, or others in them.
// https://discord.com/developers/docs/components/reference
const (
	sectionComponent   = 9
	textComponent      = 10
	thumbnailComponent = 11
	galleryComponent   = 12
	fileComponent      = 13
	containerComponent = 17
)

// A wireComponent has the fields of all kinds that are used. Those inside it stay undecoded, so that one of
// a new kind spoils no other.
type wireComponent struct {
	Type        int             `json:"type"`
	Content     string          `json:"content"`
	Description string          `json:"description"`
	Name        string          `json:"name"`
	Components  json.RawMessage `json:"components"`
	Accessory   json.RawMessage `json:"accessory"`
	Items       []struct {
		Description string `json:"description"`
	} `json:"items"`
}

// componentTexts are the texts of a list of components, in order. Buttons and menus are to be used, not read.
func componentTexts(list json.RawMessage) []string {
	var each []json.RawMessage
	if json.Unmarshal(list, &each) != nil {
		return nil
	}
	var texts []string
	for _, data := range each {
		var c wireComponent
		if json.Unmarshal(data, &c) == nil {
			texts = append(texts, c.texts()...)
		}
	}
	return texts
}

func (c wireComponent) texts() []string {
	switch c.Type {
	case textComponent:
		return []string{strings.TrimSpace(c.Content)}
	case containerComponent:
		return componentTexts(c.Components)
	case sectionComponent:
		return append(componentTexts(c.Components), componentTexts([]byte("["+string(c.Accessory)+"]"))...)
	case thumbnailComponent:
		return []string{picture(c.Description)}
	case fileComponent:
		return []string{"(file: " + c.Name + ")"}
	case galleryComponent:
		var texts []string
		for _, item := range c.Items {
			texts = append(texts, picture(item.Description))
		}
		return texts
	}
	return nil
}

func picture(label string) string {
	if label == "" {
		return "(picture)"
	}
	return "(picture: " + label + ")"
}
