// Package access decides who may steer the bot. [Policy.Admit] is asked by every way
// in: nobody who is not admitted gets an answer, and nothing tells them that there
// is a bot. [Guard] bounds what an admitted person's turn may do to the server by
// what that person may do on Discord.
package access

import (
	"slices"

	"discoclaw/internal/chat"
)

// A Policy is the operator's choice of whom to serve and where. The zero Policy
// serves nobody.
type Policy struct {
	Users     []chat.UserID     // who is served
	Bots      []chat.UserID     // other bots that may ask something; they may have nothing done
	Operators List[chat.UserID] // which of them may change the bot itself
	Channels  List[chat.ChannelID]
	Guild     chat.GuildID // the one server to answer on; empty means all
}

// A List narrows something down. The zero value narrows nothing; a list in which
// nothing is valid lets nothing through.
type List[T comparable] struct {
	Set bool // only IDs, of which there may be none
	IDs []T
}

func (l List[T]) has(id T) bool { return !l.Set || slices.Contains(l.IDs, id) }

// A Refusal says why somebody was not admitted, for the log. The empty Refusal
// means that they were.
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
)

// Admit says whether somebody may come in by a way, to begin or steer a turn in a
// place. It is the one answer to that question, whatever they did: write, press, react
// or speak. For what runs later, such as a job, who is the person on whose behalf it
// does: nobody runs anything who is not served any more.
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

func (p Policy) admitPlace(where chat.Place) Refusal {
	switch {
	case p.Guild != "" && where.Guild != "" && where.Guild != p.Guild:
		return AnotherServer
	case !p.listens(where):
		return ChannelNotFor
	}
	return Admitted
}

// Listens says whether the bot answers anybody at all in a place.
func (p Policy) Listens(where chat.Place) bool {
	return len(p.Users)+len(p.Bots) > 0 && p.admitPlace(where) == Admitted
}

// Hears says whether the bot may remember what somebody says in a place, to know what
// is talked about there. It says nothing about who may ask for anything.
func (p Policy) Hears(who chat.User, where chat.Place) bool {
	return p.Listens(where) && (where.Guild != "" || p.serves(who.ID))
}

// Operates says whether somebody may change the bot itself.
func (p Policy) Operates(u chat.UserID) bool {
	return p.serves(u) && p.Operators.has(u)
}

func (p Policy) serves(u chat.UserID) bool { return u != "" && slices.Contains(p.Users, u) }

// listens: the list of channels is about servers, so direct messages pass. A thread
// is listed with its channel.
func (p Policy) listens(where chat.Place) bool {
	return where.Guild == "" || p.Channels.has(where.Channel) || where.Parent != "" && p.Channels.has(where.Parent)
}
