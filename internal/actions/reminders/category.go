// Package reminders is the category reminders: a text that the bot posts later for a user, without asking
// a model. It fronts the engine of internal/reminder, which keeps them until they are due.
package reminders

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	"discoclaw/internal/reminder"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	// Channel finds a channel or a thread of one server.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	// Member finds a member of a server.
	Member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error)
	// Readable reports whether everybody who sees the channel here may read source as well.
	Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
	// MissingPermissions returns which of the permissions a member lacks in a channel.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
	// ChannelByID finds a channel of any server.
	ChannelByID(ctx context.Context, id chat.ChannelID) (chat.Channel, error)
	// GuildPending reports whether a server has an outage.
	GuildPending(g chat.GuildID) bool
}

// A Category reminds people.
type Category struct {
	server Server
	engine *reminder.Engine
	barred func(who chat.UserID, where chat.Place) (why string)
	zone   clock.ZoneOf
}

// New returns the category reminders. Barred returns why the bot does not serve a user in a place;
// nil means that every user is served everywhere. Times are in the zone of who asks.
func New(s Server, e *reminder.Engine, zone clock.ZoneOf, barred func(who chat.UserID, where chat.Place) string) *Category {
	if barred == nil {
		barred = func(chat.UserID, chat.Place) string { return "" }
	}
	return &Category{server: s, engine: e, barred: barred, zone: zone}
}

func (*Category) Name() string { return "reminders" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_REMINDERS", Default: true}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.remind(), c.list(), c.cancel()}
}

func (*Category) ForReference() string {
	return fmt.Sprintf("A reminder is posted as it is written, at most a year ahead, and mentions the person it is for. "+
		"At most %d of one person may wait. For work that you do yourself later there is defer.", reminder.MaxWaiting)
}
