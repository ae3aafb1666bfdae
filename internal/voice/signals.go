package voice

import (
	"context"
	"time"

	"discoclaw/internal/chat"
)

// A Gateway is the bot's connection to Discord, as far as it is about voice.
type Gateway interface {
	// JoinVoice waits until Discord has said that the bot is in the channel.
	JoinVoice(ctx context.Context, g chat.GuildID, ch chat.ChannelID, mute, deaf bool) error
	LeaveVoice(ctx context.Context, g chat.GuildID) error
	// VoiceState is what Discord has told last; changed is closed at the next news.
	VoiceState(g chat.GuildID) (now chat.VoiceState, changed <-chan struct{})
}

// Signals is the Transport that tells Discord where the bot wants to be, and no more.
type Signals struct{ Gateway Gateway }

// withdrawal is how long taking back a request may take.
const withdrawal = 2 * time.Second

// Join takes a request back that came to nothing: otherwise the bot could still enter
// the channel when nobody expects it any more.
func (s Signals) Join(ctx context.Context, g chat.GuildID, ch chat.ChannelID, mute, deaf bool) (Conn, error) {
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

func (c *signalled) State() (chat.VoiceState, <-chan struct{}) { return c.gateway.VoiceState(c.guild) }

// SetMute tells Discord anew where the bot is, which is how it is told the rest.
func (c *signalled) SetMute(ctx context.Context, on bool) error {
	now, _ := c.State()
	return c.gateway.JoinVoice(ctx, c.guild, now.Channel, on, now.Deaf)
}

func (c *signalled) SetDeaf(ctx context.Context, on bool) error {
	now, _ := c.State()
	return c.gateway.JoinVoice(ctx, c.guild, now.Channel, now.Mute, on)
}

func (c *signalled) Close(ctx context.Context) error { return c.gateway.LeaveVoice(ctx, c.guild) }
