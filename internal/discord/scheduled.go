package discord

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
	"discoclaw/internal/order"
)

// wireEvent has the fields of a scheduled event that are used.
type wireEvent struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description" wire:"optional"`
	Channel     string     `json:"channel_id"`
	Creator     string     `json:"creator_id" wire:"optional"`
	Start       time.Time  `json:"scheduled_start_time"`
	End         *time.Time `json:"scheduled_end_time" wire:"optional"`
	Metadata    *struct {
		Location string `json:"location"`
	} `json:"entity_metadata" wire:"optional"`
}

func (w wireEvent) event() chat.Event {
	e := chat.Event{
		ID: chat.EventID(w.ID), Name: w.Name, Description: w.Description, Channel: chat.ChannelID(w.Channel),
		Creator: chat.UserID(w.Creator), Start: w.Start.UTC(),
	}
	if w.End != nil {
		e.End = w.End.UTC()
	}
	if w.Metadata != nil && w.Channel == "" {
		e.Location = w.Metadata.Location
	}
	return e
}

// eventBody announces or changes an event. Missing fields stay as they are.
type eventBody map[string]any

// at sets the place of an event: a channel, or else a location.
func (b eventBody) at(kind discordgo.GuildScheduledEventEntityType, ch chat.ChannelID, location string) {
	b["entity_type"] = kind
	if kind == discordgo.GuildScheduledEventEntityTypeExternal {
		b["channel_id"], b["entity_metadata"] = nil, map[string]string{"location": location}
		return
	}
	b["channel_id"], b["entity_metadata"] = ch, nil
}

// until sets the end of an event; zero is none.
func (b eventBody) until(end time.Time) {
	b["scheduled_end_time"] = nil
	if !end.IsZero() {
		b["scheduled_end_time"] = end.UTC().Format(time.RFC3339)
	}
}

// Events fetches the scheduled events of a server that the bot sees, soonest first.
func (c *Client) Events(ctx context.Context, g chat.GuildID) ([]chat.Event, error) {
	list, err := fetchAll(ctx, c, onServer(http.MethodGet, g, "/scheduled-events").Needing(onTheServer), wireEvent.event)
	order.By(list, func(a, b chat.Event) int { return a.Start.Compare(b.Start) })
	return list, err
}

// Event fetches one scheduled event.
func (c *Client) Event(ctx context.Context, g chat.GuildID, id chat.EventID) (chat.Event, error) {
	return c.sendEvent(ctx, onServer(http.MethodGet, g, "/scheduled-events/{event}", string(id)).Needing(onTheServer))
}

// sendEvent sends a request that returns an event.
func (c *Client) sendEvent(ctx context.Context, q rest.Request) (chat.Event, error) {
	wire, err := fetch[wireEvent](ctx, c, q)
	return wire.event(), err
}

// changing returns a request that changes an event: the bot's own, or that of another user.
func (c *Client) changing(method string, g chat.GuildID, e chat.Event) rest.Request {
	right := chat.ManageEvents
	if e.Creator != "" && e.Creator == c.Self().ID {
		right = chat.CreateEvents
	}
	q := onServer(method, g, "/scheduled-events/{event}", string(e.ID)).Needing(inChannel(e.Channel, right)...)
	q.Channel = e.Channel
	return q
}

// CreateEvent announces an event. An attempt with an unclear outcome is not retried.
func (c *Client) CreateEvent(ctx context.Context, g chat.GuildID, n chat.NewEvent) (chat.Event, error) {
	body := eventBody{
		"name": n.Name, "scheduled_start_time": n.Start.UTC().Format(time.RFC3339),
		"privacy_level": discordgo.GuildScheduledEventPrivacyLevelGuildOnly,
	}
	if n.Description != "" {
		body["description"] = n.Description
	}
	kind, err := c.eventKind(ctx, g, n.Channel)
	if err != nil {
		return chat.Event{}, err
	}
	body.at(kind, n.Channel, n.Location)
	body.until(n.End)
	q := onServer(http.MethodPost, g, "/scheduled-events").Needing(inChannel(n.Channel, chat.CreateEvents)...).WithBody(body)
	q.Channel = n.Channel
	return c.sendEvent(ctx, q)
}

// EditEvent changes an event, which is given as it is now. Location and Channel cannot
// both be changed.
func (c *Client) EditEvent(ctx context.Context, g chat.GuildID, was chat.Event, e chat.EventEdit) (chat.Event, error) {
	body := eventBody{}
	if e.Name != nil {
		body["name"] = *e.Name
	}
	if e.Description != nil {
		body["description"] = *e.Description
	}
	if e.Start != nil {
		body["scheduled_start_time"] = e.Start.UTC().Format(time.RFC3339)
	}
	if e.End != nil {
		body.until(*e.End)
	}
	switch {
	case e.Channel != nil:
		kind, err := c.eventKind(ctx, g, *e.Channel)
		if err != nil {
			return chat.Event{}, err
		}
		body.at(kind, *e.Channel, "")
	case e.Location != nil:
		body.at(discordgo.GuildScheduledEventEntityTypeExternal, "", *e.Location)
	}
	return c.sendEvent(ctx, c.changing(http.MethodPatch, g, was).WithBody(body))
}

// DeleteEvent deletes an event, which is given as it is now.
func (c *Client) DeleteEvent(ctx context.Context, g chat.GuildID, e chat.Event) error {
	return c.rest.Do(ctx, c.changing(http.MethodDelete, g, e), nil)
}

// eventKind returns Discord's number for the kind of an event's place.
func (c *Client) eventKind(ctx context.Context, g chat.GuildID, ch chat.ChannelID) (discordgo.GuildScheduledEventEntityType, error) {
	if ch == "" {
		return discordgo.GuildScheduledEventEntityTypeExternal, nil
	}
	in, err := c.channelOf(ctx, g, ch)
	switch {
	case err != nil:
		return 0, err
	case in.Kind == chat.Voice:
		return discordgo.GuildScheduledEventEntityTypeVoice, nil
	case in.Kind == chat.Stage:
		return discordgo.GuildScheduledEventEntityTypeStageInstance, nil
	}
	return 0, fmt.Errorf("%s, and events are in voice or stage channels; give a location instead", nature(in.Channel))
}
