package discord

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// Limits of one request, as Discord documents them.
const (
	maxMessages = 100 // in one page of history, and in one bulk delete
	maxPins     = 50  // in one page of pins
)

// Send posts a message and returns its ID. It notifies nobody but m.Mentions.
func (c *Client) Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	body, err := newMessage(m)
	if err != nil {
		return "", err
	}
	body.Flags = c.previews(ctx, ch)
	q := onChannel(http.MethodPost, ch, "/messages").Needing(chat.SendMessages).WithBody(body)
	q.Files = m.Files
	if len(m.Files) > 0 {
		q = q.Needing(chat.AttachFiles)
	}
	if m.ReplyTo != "" {
		q = q.Needing(chat.ReadHistory)
	}
	return c.post(ctx, q, !m.Unfinished())
}

// post sends a message with a nonce and returns its ID.
func (c *Client) post(ctx context.Context, q rest.Request, finished bool) (chat.MessageID, error) {
	var sent struct {
		ID chat.MessageID `json:"id"`
	}
	q.Unique = true // it has a nonce
	err := c.rest.Do(ctx, q, &sent)
	if err == nil && finished {
		c.own.finished(q.Channel, sent.ID)
	}
	return sent.ID, err
}

// Edit changes one of the bot's messages. Empty text stays as it is, and so do buttons if
// m.Buttons is nil; an empty list removes them.
func (c *Client) Edit(ctx context.Context, ch chat.ChannelID, id chat.MessageID, m chat.Outgoing) error {
	body, err := newEdit(m)
	if err != nil {
		return err
	}
	if _, asked := chat.AskerOf(ctx); asked {
		body.Flags = c.previews(ctx, ch)
	}
	return c.patch(ctx, ch, id, body, nil)
}

// Replace replaces text and buttons of one of the bot's messages by those of m, and its files, if
// m has some.
func (c *Client) Replace(ctx context.Context, ch chat.ChannelID, id chat.MessageID, m chat.Outgoing) error {
	if err := checkText(m.Text); err != nil {
		return err
	}
	below := rows(m.Buttons)
	err := c.patch(ctx, ch, id, editBody{Content: &m.Text, AllowedMentions: mentionNobody(), Components: &below,
		Attachments: attachments(m.Files)}, m.Files)
	if err == nil && !m.Unfinished() {
		c.own.finished(ch, id)
	}
	return err
}

func (c *Client) patch(ctx context.Context, ch chat.ChannelID, id chat.MessageID, body editBody, files []chat.File) error {
	q := onChannel(http.MethodPatch, ch, "/messages/{message}", string(id)).WithBody(body)
	q.Files = files
	return c.rest.Do(ctx, q, nil)
}

// Delete removes a message.
func (c *Client) Delete(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error {
	err := c.rest.Do(ctx, onChannel(http.MethodDelete, ch, "/messages/{message}", string(id)).Needing(chat.ManageMessages), nil)
	if err == nil {
		c.own.deleted(ch, id)
	}
	return err
}

// BulkDelete removes up to 100 messages at once. None may be older than 14 days. An attempt with
// an unclear outcome is not retried.
func (c *Client) BulkDelete(ctx context.Context, ch chat.ChannelID, ids []chat.MessageID) error {
	switch {
	case len(ids) == 0:
		return nil
	case len(ids) == 1: // Discord requires at least two
		return c.Delete(ctx, ch, ids[0])
	case len(ids) > maxMessages:
		return fmt.Errorf("%d messages are too many for one request; Discord deletes %d at once at most", len(ids), maxMessages)
	}
	q := onChannel(http.MethodPost, ch, "/messages/bulk-delete").Needing(chat.ManageMessages)
	err := c.rest.Do(ctx, q.WithBody(bulkDeleteBody{Messages: ids}), nil)
	if err == nil {
		c.own.deleted(ch, ids...)
	}
	return err
}

// Crosspost publishes a message of an announcement channel to its followers.
func (c *Client) Crosspost(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error {
	q := onChannel(http.MethodPost, ch, "/messages/{message}/crosspost", string(id))
	return c.rest.Do(ctx, q.Needing(chat.SendMessages, chat.ManageMessages), nil)
}

// Message fetches one message.
func (c *Client) Message(ctx context.Context, ch chat.ChannelID, id chat.MessageID) (chat.Message, error) {
	place, err := c.placeOf(ctx, ch)
	if err != nil {
		return chat.Message{}, err
	}
	wire, err := fetch[wireMessage](ctx, c, onChannel(http.MethodGet, ch, "/messages/{message}", string(id)).Needing(chat.ReadHistory))
	if err != nil {
		return chat.Message{}, err
	}
	return wire.message(place), nil
}

// Messages fetches up to 100 messages, newest first: the latest, or those before a message.
// Placeholders are left out.
func (c *Client) Messages(ctx context.Context, ch chat.ChannelID, before chat.MessageID, limit int) ([]chat.Message, error) {
	place, err := c.placeOf(ctx, ch)
	if err != nil {
		return nil, err
	}
	place.Message = before
	return c.MessagesBefore(ctx, place, limit)
}

// MessagesBefore is Messages for a place: those before its message, or the latest if it has
// none.
func (c *Client) MessagesBefore(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error) {
	page, err := c.history(ctx, at.Channel, "before", at.Message, limit)
	return finished(page, at), err
}

// finished leaves placeholders out of a page.
func finished(page []wireMessage, at chat.Place) (list []chat.Message) {
	for _, wire := range page {
		if !wire.hasStop() {
			list = append(list, wire.message(at))
		}
	}
	return list
}

// MessagesAfter fetches the first messages after that of a place, oldest first.
func (c *Client) MessagesAfter(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error) {
	page, err := c.history(ctx, at.Channel, "after", at.Message, limit)
	slices.Reverse(page)
	return each(page, func(w wireMessage) chat.Message { return w.message(at) }), err
}

// LastMessages returns all channels that take messages, each with the result of LastMessage as its
// Message.
func (c *Client) LastMessages() []chat.LastMessage {
	c.cache.mu.RLock()
	defer c.cache.mu.RUnlock()
	var list []chat.LastMessage
	for _, g := range c.cache.guilds {
		var joined time.Time
		if g.bot != nil {
			joined = g.bot.Joined
		}
		for _, ch := range g.channels {
			if at := ch.Place(); ch.last.known && ch.Kind.TakesMessages() {
				at.Message = ch.last.latest
				list = append(list, chat.LastMessage{Place: at, Made: ch.Created, Joined: joined})
			}
		}
	}
	return list
}

// LastMessage returns the latest message of a channel from before its events arrived. It is empty
// if there was none.
func (c *Client) LastMessage(ch chat.ChannelID) (latest chat.MessageID, known bool) {
	found, ok := c.cache.channel(ch)
	return found.last.latest, ok && found.last.known
}

// history fetches the messages next to one, before or after it, newest first; without one,
// the latest.
func (c *Client) history(ctx context.Context, ch chat.ChannelID, side string, of chat.MessageID, limit int) ([]wireMessage, error) {
	return c.page(ctx, ch, pageOf(min(max(limit, 1), maxMessages), side, string(of)))
}

// page fetches a page of a channel's messages, newest first.
func (c *Client) page(ctx context.Context, ch chat.ChannelID, query url.Values) ([]wireMessage, error) {
	q := onChannel(http.MethodGet, ch, "/messages").Needing(chat.ReadHistory).WithQuery(query)
	if page, err := fetch[[]wireMessage](ctx, c, q); err != nil || len(page) > 0 {
		return page, err
	}
	return nil, c.blindness(q)
}

// blindness explains an empty page: to a bot that may not read the history of a channel, Discord
// returns nothing instead of refusing.
func (c *Client) blindness(q rest.Request) error {
	if c.cache.botMeets(q) {
		return nil
	}
	return rest.Refused(http.StatusForbidden, c.forbidden(q))
}

// placeOf returns the place of a channel. One that is not in the cache is fetched: a message of a
// server must never pass for a direct one.
func (c *Client) placeOf(ctx context.Context, id chat.ChannelID) (chat.Place, error) {
	ch, err := c.channelByID(ctx, id)
	if err != nil {
		return chat.Place{}, err
	}
	return ch.Place(), nil
}

// Pin pins a message in its channel.
func (c *Client) Pin(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error {
	return c.pin(ctx, http.MethodPut, ch, id)
}

// Unpin unpins a message.
func (c *Client) Unpin(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error {
	return c.pin(ctx, http.MethodDelete, ch, id)
}

func (c *Client) pin(ctx context.Context, method string, ch chat.ChannelID, id chat.MessageID) error {
	return c.rest.Do(ctx, onChannel(method, ch, "/messages/pins/{message}", string(id)).Needing(chat.PinMessages), nil)
}

// Pins fetches all pinned messages of a channel, the one pinned last first.
func (c *Client) Pins(ctx context.Context, ch chat.ChannelID) ([]chat.Message, error) {
	place, err := c.placeOf(ctx, ch)
	if err != nil {
		return nil, err
	}
	var pins []chat.Message
	for before := ""; ; {
		page, err := c.pinsBefore(ctx, ch, before)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			pins = append(pins, item.Message.message(place))
		}
		if !page.More || len(page.Items) == 0 {
			return pins, nil
		}
		before = page.Items[len(page.Items)-1].At
	}
}

type pinPage struct {
	Items []struct {
		At      string      `json:"pinned_at"`
		Message wireMessage `json:"message"`
	} `json:"items"`
	More bool `json:"has_more"`
}

func (c *Client) pinsBefore(ctx context.Context, ch chat.ChannelID, before string) (pinPage, error) {
	q := onChannel(http.MethodGet, ch, "/messages/pins").Needing(chat.ReadHistory).WithQuery(pageOf(maxPins, "before", before))
	page, err := fetch[pinPage](ctx, c, q)
	if err == nil && len(page.Items) == 0 {
		err = c.blindness(q)
	}
	return page, err
}

type directBody struct {
	Recipient chat.UserID `json:"recipient_id"`
}

// OpenDirect opens the direct messages with a user, and returns their place with the latest message, which is empty if
// there is none. The user does not notice. Discord returns the same channel each time, but may refuse a bot that opens many in a
// short time.
// https://discord.com/developers/docs/resources/user#create-dm
func (c *Client) OpenDirect(ctx context.Context, u chat.UserID) (chat.Place, error) {
	var opened struct {
		ID   chat.ChannelID `json:"id"`
		Last chat.MessageID `json:"last_message_id"`
	}
	q := request(http.MethodPost, "/users/@me/channels").WithBody(directBody{u})
	q.Unique = true
	err := c.rest.Do(ctx, q, &opened)
	return chat.Place{Channel: opened.ID, Message: opened.Last}, err
}
