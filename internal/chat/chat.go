// Package chat holds the values that every part of the bot shares: identifiers,
// places, permissions, and how long a text is for Discord.
//
// It knows no protocol and does no I/O, so that any package may import it.
package chat

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// Identifiers are Discord snowflakes, kept as the digits Discord sent. Each kind
// has its own type so that a call with two of them cannot be written the wrong
// way round.
type (
	GuildID   string
	ChannelID string
	MessageID string
	UserID    string
	RoleID    string
)

// A Place is where an event happens. Fields that do not apply are empty: a direct message
// has no Guild, a channel that is not a thread has no Parent, and a deferred run has no
// Message.
type Place struct {
	Guild   GuildID
	Channel ChannelID
	Parent  ChannelID // the channel a thread belongs to
	Message MessageID // the message that caused this
}

// A LastMessage is a channel as it was when the bot first learned of it. The Message of its place is
// the latest one, or empty if there is none.
type LastMessage struct {
	Place
	Made   time.Time // when the channel was made, or the thread started
	Joined time.Time // when the bot joined its server; zero if unknown
}

// Mention names the channel of a place for readers in other channels. It does not tell whose a
// direct message is.
func (p Place) Mention() string {
	if p.Guild == "" {
		return "a direct message"
	}
	return "<#" + string(p.Channel) + ">"
}

// Top is the place outside of threads: the channel that a thread is in, or else p itself.
func (p Place) Top() Place {
	if p.Parent == "" {
		return p
	}
	return Place{Guild: p.Guild, Channel: p.Parent}
}

// Link leads to the message of a place, in every Discord client.
func (p Place) Link() string {
	guild := string(p.Guild)
	if guild == "" {
		guild = "@me" // as Discord writes direct messages
	}
	return fmt.Sprintf("https://discord.com/channels/%s/%s/%s", guild, p.Channel, p.Message)
}

// After reports whether a message was written after another. IDs grow with time.
func (m MessageID) After(other MessageID) bool { return m.number() > other.number() }

// Compare orders messages by when they were written.
func (m MessageID) Compare(other MessageID) int { return cmp.Compare(m.number(), other.number()) }

// Next and Previous return the IDs beside this one, as bounds of a range of messages.
func (m MessageID) Next() MessageID     { return MessageID(strconv.FormatUint(m.number()+1, 10)) }
func (m MessageID) Previous() MessageID { return MessageID(strconv.FormatUint(m.number()-1, 10)) }

// epoch is the beginning of 2015. IDs count milliseconds since then, times 2^22.
// https://discord.com/developers/docs/reference#snowflakes
const epoch = 1420070400000

// Sent returns when a message was sent.
func (m MessageID) Sent() time.Time { return time.UnixMilli(int64(m.number()>>22) + epoch) }

// FirstAt returns the lowest ID of a point in time.
func FirstAt(t time.Time) MessageID {
	return MessageID(strconv.FormatInt(max(t.UnixMilli()-epoch, 0)<<22, 10))
}

func (m MessageID) number() uint64 {
	n, err := strconv.ParseUint(string(m), 10, 64)
	if err != nil {
		return 0 // no message has it
	}
	return n
}
