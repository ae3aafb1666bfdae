package userapi

import (
	"fmt"
	"net/http"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// How many messages one page has.
const (
	usualPage   = 50
	largestPage = 100
)

// maxContent is how long a message may be, counted as Discord does.
// https://discord.com/developers/docs/resources/message
const maxContent = 2000

// list shows the messages of a channel page by page, the newest last.
func (c *call) list() error {
	ch, err := c.channel()
	if err != nil {
		return err
	}
	limit, err := c.limit(usualPage, largestPage)
	if err != nil {
		return err
	}
	before := c.r.URL.Query().Get("before")
	if before != "" && !chat.IsID(before) {
		return refusal{http.StatusBadRequest, fmt.Sprintf("before is %q; it is the ID of a message", chat.Clip(before, 40))}
	}
	page, more := c.eyes.view.Messages(ch.ID, chat.MessageID(before), limit)
	messages := []message{}
	for _, m := range page {
		messages = append(messages, c.eyes.message(m))
	}
	return c.answer(struct {
		Messages []message `json:"messages"`
		More     bool      `json:"more"`
	}{messages, more})
}

// A written is the JSON of a new or edited message.
type written struct {
	Content string         `json:"content"`
	ReplyTo chat.MessageID `json:"replyTo"`
}

func (in written) check() error {
	if n := chat.Length(strings.TrimSpace(in.Content)); n > maxContent {
		return refusal{http.StatusBadRequest, fmt.Sprintf("the message has %d characters, and Discord takes %d", n, maxContent)}
	}
	return nil
}

func (c *call) say() error {
	ch, err := c.channel()
	if err != nil {
		return err
	}
	in, options, err := c.written()
	if err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	if in.ReplyTo != "" {
		if _, err := c.messageIn(ch, in.ReplyTo); err != nil {
			return err
		}
		options = append(options, fakediscord.Answering(in.ReplyTo))
	}
	m, err := c.world.Say(c.as(), string(ch.ID), in.Content, options...)
	if err != nil {
		return refused(err)
	}
	return c.answer(c.eyes.message(m))
}

func (c *call) edit() error {
	m, err := c.shared()
	if err != nil {
		return err
	}
	var in written
	if err := c.decode(&in); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	err = c.world.EditAs(c.as(), m.ID, in.Content)
	switch {
	case err != nil && strings.TrimSpace(in.Content) == "":
		return refusal{http.StatusBadRequest, err.Error()}
	case err != nil:
		return refused(err)
	}
	if m, err = c.message(); err != nil {
		return err // it was deleted meanwhile
	}
	return c.answer(c.eyes.message(m))
}

// remove also dismisses ephemeral messages.
func (c *call) remove() error {
	m, err := c.message()
	if err != nil {
		return err
	}
	if err := c.world.DeleteAs(c.as(), m.ID); err != nil {
		return refused(err)
	}
	return c.done()
}

// react adds an emoji. A custom one can only join an existing reaction: the server has
// none of its own.
func (c *call) react() error {
	m, err := c.shared()
	if err != nil {
		return err
	}
	emoji := chat.Emoji(c.vars["emoji"])
	known := fakediscord.IsEmoji(string(emoji))
	for _, r := range m.Reactions {
		known = known || chat.Emoji(r.Emoji).Same(emoji)
	}
	if !known {
		return refusal{http.StatusBadRequest, fmt.Sprintf("%q is not an emoji; send the character itself, such as 👍", chat.Clip(string(emoji), 40))}
	}
	if err := c.world.React(c.as(), m.ID, emoji); err != nil {
		return refused(err)
	}
	return c.done()
}

func (c *call) unreact() error {
	m, err := c.shared()
	if err != nil {
		return err
	}
	if err := c.world.Unreact(c.as(), m.ID, chat.Emoji(c.vars["emoji"])); err != nil {
		return refused(err)
	}
	return c.done()
}

// press presses a button and waits three seconds for the bot, as Discord does.
func (c *call) press() error {
	m, err := c.message()
	if err != nil {
		return err
	}
	var in struct {
		Button string `json:"button"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	if err := pressable(m, in.Button); err != nil {
		return err
	}
	answer, err := c.world.Press(c.as(), m.ID, in.Button)
	if err != nil {
		return refusal{http.StatusGatewayTimeout, err.Error()}
	}
	return c.told(answer)
}

// told is the ephemeral part of the bot's answer.
func (c *call) told(answer fakediscord.Answer) error {
	text := ""
	if answer.Message.OnlyFor == c.eyes.me {
		text = answer.Message.Content
	}
	return c.answer(map[string]string{"text": text})
}

func pressable(m fakediscord.Message, button string) error {
	for _, b := range m.Buttons() {
		switch {
		case b.CustomID != button || button == "":
		case b.Disabled:
			return refusal{http.StatusForbidden, fmt.Sprintf("the button %q cannot be pressed any more", b.Label)}
		default:
			return nil
		}
	}
	return refusal{http.StatusNotFound, fmt.Sprintf("the message has no button %q", chat.Clip(button, 40))}
}
