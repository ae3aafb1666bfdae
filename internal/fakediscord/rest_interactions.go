package fakediscord

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// Ways to answer an interaction.
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object
const (
	callbackReply          = 4
	callbackDeferredReply  = 5
	callbackDeferredUpdate = 6
	callbackUpdate         = 7
	callbackSuggestions    = 8
	callbackForm           = 9
)

// answerInteraction is the bot's first answer to an interaction.
func answerInteraction(c *call) (answer, error) {
	it := c.interactions[c.vars["token"]]
	switch {
	case it == nil || it.ID != c.vars["interaction"] || c.clock().Sub(it.at) > answerTime:
		return answer{}, errUnknownInteraction
	case it.answer.Kind != "":
		return answer{}, errAcknowledged
	}
	var in struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if it.typing != (in.Type == callbackSuggestions) || it.Message == "" && (in.Type == callbackUpdate || in.Type == callbackDeferredUpdate) {
		return answer{}, invalid("type", "BASE_TYPE_CHOICES", "Value of field \"type\" does not fit the interaction.")
	}
	if it.Form != "" && in.Type == callbackForm {
		return answer{}, invalid("type", "BASE_TYPE_CHOICES", "A modal cannot answer a modal.")
	}
	switch {
	case it.typing:
		return c.suggest(it, in.Data)
	case in.Type == callbackForm:
		return c.showForm(it, in.Data)
	}
	if err := c.answerWith(it, in.Type, in.Data); err != nil {
		return answer{}, err
	}
	return c.acknowledged(it, in.Type, c.messages[it.original])
}

// acknowledged ends the first answer to an interaction. The message that it has written or changed is nil if there is none, or if it was
// deleted after the press.
func (c *call) acknowledged(it *interaction, kind int, m *Message) (answer, error) {
	if m != nil {
		it.answer.Message = m.clone()
	}
	close(it.answered)
	if !c.yes("with_response") {
		return done()
	}
	return ok(c.callbackJSON(it, kind, m))
}

// maxSuggestions is how many Discord shows.
const maxSuggestions = 25

// suggest answers an autocomplete interaction.
func (c *call) suggest(it *interaction, data json.RawMessage) (answer, error) {
	var in struct {
		Choices []CommandChoice `json:"choices"`
	}
	if err := decode(data, &in); err != nil {
		return answer{}, err
	}
	if len(in.Choices) > maxSuggestions {
		return answer{}, invalid("data.choices", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxSuggestions)
	}
	it.answer.Kind = Suggested
	for _, choice := range in.Choices {
		it.answer.Suggestions = append(it.answer.Suggestions, choice.Value)
	}
	return c.acknowledged(it, callbackSuggestions, nil)
}

func (c *call) answerWith(it *interaction, kind int, data json.RawMessage) error {
	in, err := c.messageInput(data)
	if err != nil {
		return err
	}
	switch kind {
	case callbackReply:
		m, err := c.followUp(it, in, 0)
		if err != nil {
			return err
		}
		it.answer.Kind, it.original = Replied, m.ID
	case callbackDeferredReply:
		it.answer.Kind, it.loading = ReplyDeferred, true
		it.original = c.post(c.reply(it, in, flagLoading)).ID
	case callbackDeferredUpdate:
		it.answer.Kind, it.original = UpdateDeferred, it.Message
	case callbackUpdate:
		m := c.messages[it.Message]
		if m == nil {
			return errUnknownMessage
		}
		if err := c.applyEdit(c.channels[m.Channel], m, in); err != nil {
			return err
		}
		it.answer.Kind, it.original = Updated, it.Message
	default:
		return notBuiltError(fmt.Sprintf("an answer of type %d", kind))
	}
	return nil
}

// reply is a message that answers an interaction. It needs no rights in the channel, and
// may be ephemeral.
func (c *call) reply(it *interaction, in messageInput, flags int) draft {
	kind := ReplyMessage
	if it.Message == "" {
		kind = CommandAnswer
	}
	d := draft{
		author: c.bot, channel: c.channels[it.channel], kind: kind, replyTo: it.Message, content: in.text(),
		embeds: in.Embeds, components: in.Components, attachments: c.uploads(in.Files), mentions: in.Mentions,
		interaction: &it.Interaction, flags: flags,
	}
	if in.Flags != nil {
		d.flags |= *in.Flags & (flagNoEmbeds | flagEphemeral | flagSilent)
	}
	if d.flags&flagEphemeral != 0 {
		d.onlyFor = it.User
	}
	return d
}

func (c *call) followUp(it *interaction, in messageInput, flags int) (*Message, error) {
	d := c.reply(it, in, flags)
	if d.empty() {
		return nil, errEmptyMessage
	}
	return c.post(d), nil
}

func (c *call) callbackJSON(it *interaction, kind int, m *Message) object {
	if m == nil {
		return object{"interaction": object{"id": it.ID, "type": it.kind()}}
	}
	o := object{"interaction": object{
		"id": it.ID, "type": it.kind(), "response_message_id": m.ID, "response_message_loading": it.loading,
		"response_message_ephemeral": m.OnlyFor != "", "channel_id": m.Channel,
	}}
	if kind == callbackReply || kind == callbackUpdate {
		o["resource"] = object{"type": kind, "message": c.messageJSON(m)}
	}
	return o
}

// hook is the interaction of a webhook token that has not expired.
func (c *call) hook() (*interaction, error) {
	it := c.interactions[c.vars["token"]]
	if i := slices.IndexFunc(c.webhooks, func(h *Webhook) bool { return h.ID == c.vars["webhook"] }); i >= 0 {
		if c.webhooks[i].Token != c.vars["token"] {
			return nil, errWebhookToken
		}
		return nil, notBuiltError("a webhook of a channel")
	}
	switch {
	case c.vars["webhook"] != c.app || it == nil || it.answer.Kind == "":
		return nil, errUnknownWebhook
	case c.clock().Sub(it.at) > followUpTime:
		return nil, errWebhookToken
	}
	return it, nil
}

func createFollowUp(c *call) (answer, error) {
	it, err := c.hook()
	if err != nil {
		return answer{}, err
	}
	in, err := c.messageInput(c.payload)
	if err != nil {
		return answer{}, err
	}
	if it.loading {
		return c.editHooked(it, it.original)
	}
	m, err := c.followUp(it, in, 0)
	if err != nil {
		return answer{}, err
	}
	return ok(c.messageJSON(m))
}

// hooked is the message of the path: the first answer, or a follow-up.
func (c *call) hooked() (*interaction, *Message, error) {
	it, err := c.hook()
	if err != nil {
		return nil, nil, err
	}
	id := chat.MessageID(c.vars["message"])
	if id == "" {
		id = it.original
	}
	m := c.messages[id]
	if m == nil || id != it.original && m.Interaction != &it.Interaction {
		return nil, nil, errUnknownMessage
	}
	return it, m, nil
}

func getFollowUp(c *call) (answer, error) {
	_, m, err := c.hooked()
	if err != nil {
		return answer{}, err
	}
	return ok(c.messageJSON(m))
}

func editFollowUp(c *call) (answer, error) {
	it, m, err := c.hooked()
	if err != nil {
		return answer{}, err
	}
	return c.editHooked(it, m.ID)
}

func (c *call) editHooked(it *interaction, id chat.MessageID) (answer, error) {
	m := c.messages[id]
	if m == nil {
		return answer{}, errUnknownMessage
	}
	in, err := c.messageInput(c.payload)
	if err != nil {
		return answer{}, err
	}
	flags := m.Flags
	m.Flags &^= flagLoading
	if err := c.applyEdit(c.channels[m.Channel], m, in); err != nil {
		m.Flags = flags
		return answer{}, err
	}
	if it.loading && id == it.original {
		it.loading, m.Edited = false, time.Time{} // it becomes visible now
	}
	return ok(c.messageJSON(m))
}

func deleteFollowUp(c *call) (answer, error) {
	_, m, err := c.hooked()
	if err != nil {
		return answer{}, err
	}
	if m.OnlyFor != "" {
		c.remove(m) // without an event: it is ephemeral
		c.whisper(m)
		return done()
	}
	c.deleteMessages(c.channels[m.Channel], m)
	return done()
}
