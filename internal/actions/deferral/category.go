// Package deferral is the category defer: follow-ups that the bot does by itself
// later. It fronts the engine of the same name, which keeps them until they are due.
//
// A follow-up is a turn of its own: it has the rights of who asked for it, knows
// nothing but its prompt, and cannot put off another one.
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

// Options say whom the bot serves. With the zero value everybody is served everywhere,
// and nobody is an operator.
type Options struct {
	// Barred says why somebody's follow-up would not run in a place; empty means that
	// it would.
	Barred func(who chat.UserID, where chat.Place) (why string)
	// Operates says whether somebody may look after the follow-ups of others.
	Operates func(who chat.UserID) bool
}

// A Category puts things off.
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
		o.Operates = func(chat.UserID) bool { return false }
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

func (c *Category) Guidance() string {
	return fmt.Sprintf("A follow-up runs once, at most %s from now, and its reply is posted in its channel. "+
		"It knows nothing of this conversation but its prompt, so write down there all that it needs. "+
		"At most %d may wait at a time, and a follow-up cannot schedule another one.", human(c.engine.MaxDelay), c.engine.MaxPending)
}

// Matches is about words for time to come.
func (*Category) Matches(h actions.Hint) bool {
	return h.Mentions("defer", "later", "remind", "schedul", "timer", "delay", "second", "minute", "hour", "follow up", "followup", "check back", "in a bit", "in a while")
}

// theirs says whether a follow-up is one that all for whom this is done may look
// after. Nobody in particular may look after none.
func (c *Category) theirs(o actions.Origin, j engine.Job) bool {
	people := o.People()
	for _, who := range people {
		if who != j.Requester && !c.Operates(who) {
			return false
		}
	}
	return len(people) > 0 && j.Guild == o.Place.Guild
}
