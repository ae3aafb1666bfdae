// Package voice keeps the bot in voice channels: at most one on each server.
//
// A [Manager] is asked to join, to leave, to be silent or deaf, and where the bot
// is. What happens meanwhile it follows by itself: moderators move the bot or take
// it out, channels are deleted, connections are lost and made again.
//
// The bot is in a channel by a [Conn], which a [Transport] makes: [Calls] connects it
// to the call there, and [Signals] only tells Discord where the bot wants to be.
package voice

import (
	"context"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/link"
)

// A Transport makes connections.
type Transport interface {
	// Join puts the bot into a voice channel of a server, or moves it there from
	// another, and returns when it is there. If it is not let in, the bot is where it
	// was. from is the Conn that the bot has there, or nil; it is dropped when the bot
	// leaves that channel.
	Join(ctx context.Context, g chat.GuildID, ch chat.ChannelID, mute, deaf bool, from Conn) (Conn, error)
}

// A Conn is the bot in a voice channel. Its methods are called by one goroutine at a
// time.
type Conn interface {
	// State is where the bot is; changed can be received from as soon as that is no
	// longer true. With an error, which is a sentence for people, the call is over.
	State() (now chat.VoiceState, changed <-chan struct{}, over error)
	// Adjust mutes and deafens the bot, or lets it speak and hear.
	Adjust(ctx context.Context, mute, deaf bool) error
	// Close takes the bot out of voice. The Conn still has to be dropped.
	Close(ctx context.Context) error
	// Drop ends the Conn, which is not used afterwards, and leaves the bot where it is.
	Drop()
	// Call is what carries the sound, or nil.
	Call() *link.Call
}

// A State is how far a connection is.
type State string

const (
	Signalling   State = "signalling"   // Discord was asked to let the bot in
	Connecting   State = "connecting"   // the bot is in the channel and waits for a server that carries sound
	Ready        State = "ready"        // the bot is in the channel
	Disconnected State = "disconnected" // the connection was lost and is to be made again
)

// A Status is what is known about the bot in voice on one server.
type Status struct {
	Channel    chat.ChannelID // where it is, or is going to be
	State      State
	Since      time.Time // when this state began
	Mute, Deaf bool      // by the bot's own choice
}

// A Gateway is the bot's connection to Discord, as far as it is about voice.
type Gateway interface {
	Self() chat.User
	// JoinVoice waits until Discord has said that the bot is in the channel.
	JoinVoice(ctx context.Context, g chat.GuildID, ch chat.ChannelID, mute, deaf bool) error
	LeaveVoice(ctx context.Context, g chat.GuildID) error
	// VoiceState is what Discord has told last; changed is closed at the next news.
	VoiceState(g chat.GuildID) (now chat.VoiceState, changed <-chan struct{})
	// VoiceServer is where the sound of the bot's channel is. VoiceState tells when that changes, too.
	VoiceServer(g chat.GuildID) chat.VoiceServer
	// Others are who else is in a channel, or, without one, in all of a server; changed is closed at the next change on the server.
	Others(g chat.GuildID, ch chat.ChannelID) (there []chat.Occupant, changed <-chan struct{})
}

// Signals is the Transport that tells Discord where the bot wants to be, and no more.
type Signals struct{ Gateway Gateway }

// withdrawal is how long taking back a request may take.
const withdrawal = 2 * time.Second

// Join takes a request back that came to nothing: otherwise the bot could still enter
// the channel when nobody expects it any more.
func (s Signals) Join(ctx context.Context, g chat.GuildID, ch chat.ChannelID, mute, deaf bool, _ Conn) (Conn, error) {
	before, _ := s.Gateway.VoiceState(g)
	err := s.Gateway.JoinVoice(ctx, g, ch, mute, deaf)
	if err == nil {
		return &signalled{s.Gateway, g}, nil
	}
	// Somebody may have moved the bot meanwhile, or taken it out. Then it stays so.
	stay, _ := s.Gateway.VoiceState(g)
	if stay.Channel == ch {
		stay = before
	}
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawal)
	defer cancel()
	if stay.Channel == "" {
		_ = s.Gateway.LeaveVoice(back, g) // the first error is the one to tell
	} else {
		_ = s.Gateway.JoinVoice(back, g, stay.Channel, stay.Mute, stay.Deaf)
	}
	return nil, err
}

// signalled is the bot in a voice channel without sound.
type signalled struct {
	gateway Gateway
	guild   chat.GuildID
}

func (c *signalled) State() (chat.VoiceState, <-chan struct{}, error) {
	now, changed := c.gateway.VoiceState(c.guild)
	return now, changed, nil
}

// Adjust tells Discord anew where the bot is, which is how it is told the rest.
func (c *signalled) Adjust(ctx context.Context, mute, deaf bool) error {
	now, _ := c.gateway.VoiceState(c.guild)
	return c.gateway.JoinVoice(ctx, c.guild, now.Channel, mute, deaf)
}

func (c *signalled) Close(ctx context.Context) error { return c.gateway.LeaveVoice(ctx, c.guild) }
func (*signalled) Drop()                             {}
func (*signalled) Call() *link.Call                  { return nil }
