// Package deferral is the category defer: deferred runs, which the bot starts later by
// itself. It fronts the engine of the same name, which stores them until they are due.
//
// A deferred run is a turn of its own: it has the rights of its requester, has only its
// prompt as context, and cannot defer another one.
package deferral

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/deferral"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	// Channel finds a channel or a thread of one server.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
}

// Options are the rules of access. With the zero value every member is served everywhere,
// and there are no operators.
type Options struct {
	// Barred returns why a user's run would be refused in a place; empty means that it would
	// not.
	Barred func(who chat.UserID, where chat.Place) (why string)
	// Operates reports whether a user may manage the runs of others.
	Operates func(ctx context.Context, who chat.UserID, g chat.GuildID) bool
}

// A Category defers runs.
type Category struct {
	Options
	server Server
	engine *engine.Engine
}

// New returns the category defer.
func New(s Server, e *engine.Engine, o Options) *Category {
	if o.Barred == nil {
		o.Barred = func(chat.UserID, chat.Place) string { return "" }
	}
	if o.Operates == nil {
		o.Operates = func(context.Context, chat.UserID, chat.GuildID) bool { return false }
	}
	return &Category{Options: o, server: s, engine: e}
}

func (*Category) Name() string { return "defer" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_DEFER", Default: true}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.put(), c.list(), c.cancel()}
}

func (c *Category) ForReference() string {
	return fmt.Sprintf("A follow-up runs once, at most %s from now, and its reply is posted in its channel. "+
		"It knows nothing of this conversation but its prompt, so write down there all that it needs. "+
		"At most %d may wait at a time, and a follow-up cannot schedule another one.", human(c.engine.MaxDelay), c.engine.MaxPending)
}

// theirs reports whether all people of the turn may manage a run. Without a requester it is
// false.
func (c *Category) theirs(ctx context.Context, o actions.Origin, j engine.Job) bool {
	people := o.People()
	for _, who := range people {
		if who != j.Requester && !c.Operates(ctx, who, o.Place.Guild) {
			return false
		}
	}
	return len(people) > 0 && j.Guild == o.Place.Guild
}
