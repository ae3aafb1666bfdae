package discord

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

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
	needs := []chat.Permission{chat.ViewChannel, chat.SendMessages}
	if len(m.Files) > 0 {
		needs = append(needs, chat.AttachFiles)
	}
	if m.ReplyTo != "" {
		needs = append(needs, chat.ReadHistory)
	}
	var sent struct {
		ID chat.MessageID `json:"id"`
	}
	err = c.rest.Do(ctx, rest.Request{
		Method:  http.MethodPost,
		Route:   "/channels/{channel}/messages",
		Address: discordgo.EndpointChannelMessages(string(ch)),
		Body:    body,
		Files:   m.Files,
		Unique:  true, // it has a nonce
		Channel: ch,
		Needs:   needs,
	}, &sent)
	if err == nil && !m.Unfinished() {
		c.own.finished(ch, sent.ID)
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
	return c.rest.Do(ctx, rest.Request{
		Method:  http.MethodPatch,
		Route:   "/channels/{channel}/messages/{message}",
		Address: discordgo.EndpointChannelMessage(string(ch), string(id)),
		Body:    body,
		Files:   files,
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel},
	}, nil)
}

// Delete removes a message.
func (c *Client) Delete(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error {
	err := c.rest.Do(ctx, rest.Request{
		Method:  http.MethodDelete,
		Route:   "/channels/{channel}/messages/{message}",
		Address: discordgo.EndpointChannelMessage(string(ch), string(id)),
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel, chat.ManageMessages},
	}, nil)
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
	err := c.rest.Do(ctx, rest.Request{
		Method:  http.MethodPost,
		Route:   "/channels/{channel}/messages/bulk-delete",
		Address: discordgo.EndpointChannelMessagesBulkDelete(string(ch)),
		Body:    bulkDeleteBody{Messages: ids},
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel, chat.ManageMessages},
	}, nil)
	if err == nil {
		c.own.deleted(ch, ids...)
	}
	return err
}

// Crosspost publishes a message of an announcement channel to its followers.
func (c *Client) Crosspost(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error {
	return c.rest.Do(ctx, rest.Request{
		Method:  http.MethodPost,
		Route:   "/channels/{channel}/messages/{message}/crosspost",
		Address: discordgo.EndpointChannelMessageCrosspost(string(ch), string(id)),
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.ManageMessages},
	}, nil)
}

// Message fetches one message.
func (c *Client) Message(ctx context.Context, ch chat.ChannelID, id chat.MessageID) (chat.Message, error) {
	place, err := c.placeOf(ctx, ch)
	if err != nil {
		return chat.Message{}, err
	}
	var wire wireMessage
	err = c.rest.Do(ctx, rest.Request{
		Method:  http.MethodGet,
		Route:   "/channels/{channel}/messages/{message}",
		Address: discordgo.EndpointChannelMessage(string(ch), string(id)),
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel, chat.ReadHistory},
	}, &wire)
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
	if err != nil {
		return nil, err
	}
	var list []chat.Message
	for _, wire := range page {
		if !wire.hasStop() {
			list = append(list, wire.message(at))
		}
	}
	return list, nil
}

// MessagesAfter fetches the first messages after that of a place, oldest first.
func (c *Client) MessagesAfter(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error) {
	page, err := c.history(ctx, at.Channel, "after", at.Message, limit)
	if err != nil {
		return nil, err
	}
	var list []chat.Message
	for _, wire := range slices.Backward(page) {
		list = append(list, wire.message(at))
	}
	return list, nil
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
	query := url.Values{"limit": {strconv.Itoa(min(max(limit, 1), maxMessages))}}
	if of != "" {
		query.Set(side, string(of))
	}
	return c.page(ctx, ch, query)
}

// page fetches a page of a channel's messages, newest first.
func (c *Client) page(ctx context.Context, ch chat.ChannelID, query url.Values) ([]wireMessage, error) {
	var page []wireMessage
	q := rest.Request{
		Method:  http.MethodGet,
		Route:   "/channels/{channel}/messages",
		Address: discordgo.EndpointChannelMessages(string(ch)),
		Query:   query,
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel, chat.ReadHistory},
	}
	if err := c.rest.Do(ctx, q, &page); err != nil || len(page) > 0 {
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
