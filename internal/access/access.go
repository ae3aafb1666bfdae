// Package access decides who may use the bot, through which way in, and which actions may run for them.
//
// Every way in asks [Policy.Admit]: a user who is not admitted gets no answer, and no sign that there is a bot. [Guard] bounds
// the actions of a turn by the permissions that its requester has on Discord.
package access

import (
	"context"
	"slices"

	"discoclaw/internal/chat"
)

// A Policy is the operator's choice of users and places to serve. The zero Policy
// admits no user.
type Policy struct {
	Users     []chat.UserID     // served
	Bots      []chat.UserID     // other bots that may ask something; their turns run no actions
	Operators List[chat.UserID] // users who may change the bot itself; see [Policy.Operates]
	Channels  List[chat.ChannelID]
	Guild     chat.GuildID // the one server to answer on; empty means all
}

// A List is an allow-list. The zero value allows everything; one that is set but has no valid
// entry allows nothing.
type List[T comparable] struct {
	Set bool // only IDs are allowed, of which there may be none
	IDs []T
}

func (l List[T]) has(id T) bool { return !l.Set || slices.Contains(l.IDs, id) }

// A Refusal is the reason why a user was not admitted, for the log. The empty Refusal
// means admitted.
type Refusal string

const (
	Admitted      Refusal = ""
	NobodyKnown   Refusal = "nobody is known to have done it"
	AnotherBot    Refusal = "another bot"
	NoBot         Refusal = "a person, where only bots come in"
	NotServed     Refusal = "not on the list of users"
	ChannelNotFor Refusal = "not in the list of channels"
	AnotherServer Refusal = "another server"
	NoWayIn       Refusal = "there is no such way in"
	Silenced      Refusal = "the bot is silent here until it is addressed"
	Unaddressed   Refusal = "not addressed to the bot"
)

// Admit decides whether a user may begin or steer a turn in a place by a way in, be it a
// message, a button, a reaction or speech. For a deferred run, who is its requester: jobs of a
// user who is not served any more do not run.
func (p Policy) Admit(way *Way, who chat.User, where chat.Place) Refusal {
	switch {
	case way == nil || way.Flow == "":
		return NoWayIn
	case who.ID == "" && way.Unattended:
		return p.admitPlace(where)
	case who.ID == "":
		return NobodyKnown
	case who.Bot && !(way.Bots && slices.Contains(p.Bots, who.ID)):
		return AnotherBot
	case way.Bots && !who.Bot:
		return NoBot
	case !who.Bot && !p.serves(who.ID):
		return NotServed
	}
	return p.admitPlace(where)
}

// Bars returns a function that says why a user may not come by a way in; empty if they may.
func (p Policy) Bars(way *Way) func(who chat.UserID, where chat.Place) (why string) {
	return func(who chat.UserID, where chat.Place) string { return string(p.Admit(way, chat.User{ID: who}, where)) }
}

// Admits returns a function that reports whether a user may come by a way in.
func (p Policy) Admits(way *Way) func(who chat.UserID, where chat.Place) bool {
	return func(who chat.UserID, where chat.Place) bool {
		return p.Admit(way, chat.User{ID: who}, where) == Admitted
	}
}

func (p Policy) admitPlace(where chat.Place) Refusal {
	switch {
	case p.Guild != "" && where.Guild != "" && where.Guild != p.Guild:
		return AnotherServer
	case !p.listens(where):
		return ChannelNotFor
	}
	return Admitted
}

// Listens reports whether the bot answers any user in a place.
func (p Policy) Listens(where chat.Place) bool {
	return len(p.Users)+len(p.Bots) > 0 && p.admitPlace(where) == Admitted
}

// Hears reports whether a user's messages in a place may be recorded as history. It admits no
// user.
func (p Policy) Hears(who chat.User, where chat.Place) bool {
	return p.Listens(where) && (where.Guild != "" || p.serves(who.ID))
}

// Outsider reports whether the author of a message gives the bot no orders: users who are not served, other bots, and
// webhooks. What they write is information at best, and may be written to steer the bot.
func (p Policy) Outsider(m chat.Message, self chat.UserID) bool {
	if m.Author.ID == self && self != "" {
		return false
	}
	return m.Webhook || m.Author.Bot || !p.serves(m.Author.ID)
}

func (p Policy) serves(u chat.UserID) bool { return u != "" && slices.Contains(p.Users, u) }

// listens lets direct messages pass, since the list of channels is about servers. A thread is
// listed with its channel.
func (p Policy) listens(where chat.Place) bool {
	return where.Guild == "" || p.Channels.has(where.Channel) || where.Parent != "" && p.Channels.has(where.Parent)
}

// Operates reports whether a user may change the bot itself when speaking on a server, or in a direct
// message if the server is empty. Where no operators are configured, the only user who is served is one;
// of several, those are who administer the server, or in a direct message any server.
func (p Policy) Operates(ctx context.Context, m Members, u chat.UserID, g chat.GuildID) bool {
	switch {
	case !p.serves(u):
		return false
	case p.Operators.Set:
		return slices.Contains(p.Operators.IDs, u)
	case len(p.Users) == 1:
		return true
	case g != "":
		return p.administers(ctx, m, u, g)
	}
	return slices.ContainsFunc(m.Servers(), func(g chat.GuildID) bool { return p.administers(ctx, m, u, g) })
}

// administers reports whether a user is an administrator of a server that the bot serves. A user who cannot be looked up
// is not.
func (p Policy) administers(ctx context.Context, m Members, u chat.UserID, g chat.GuildID) bool {
	if p.Guild != "" && g != p.Guild {
		return false
	}
	missing, err := m.MissingPermissions(ctx, g, u, "", []chat.Permission{chat.Administrator})
	return err == nil && len(missing) == 0
}
