package discord

import (
	"context"
	"slices"

	"discoclaw/internal/chat"
)

// wireVoice is a user's voice state.
type wireVoice struct {
	Guild   chat.GuildID   `json:"guild_id"`   // missing in descriptions of a server
	Channel chat.ChannelID `json:"channel_id"` // empty, from null, for none
	User    chat.UserID    `json:"user_id"`
	Mute    bool           `json:"self_mute" wire:"optional"`
	Deaf    bool           `json:"self_deaf" wire:"optional"`
}

// voiceChanged handles changes of the bot's own voice state. Others are not used yet.
func (l *listener) voiceChanged(w wireVoice) error {
	if w.User == "" {
		return errNoID
	}
	if w.User != l.Self().ID || w.Guild == "" {
		return nil
	}
	l.voices.change(w.Guild, func(v *voice) {
		switch {
		case w.Channel != "":
			v.Channel, v.Mute, v.Deaf, v.Lost = w.Channel, w.Mute, w.Deaf, false
		case v.Channel != "": // else it is a late event of the last session
			v.VoiceState = chat.VoiceState{}
		}
	})
	return nil
}

// wireVoiceServer is a voice server. While there is none, the address is empty.
type wireVoiceServer struct {
	Guild    chat.GuildID `json:"guild_id"`
	Endpoint string       `json:"endpoint"`
}

func (l *listener) voiceServed(w wireVoiceServer) error {
	if w.Guild == "" {
		return errNoID
	}
	l.voices.change(w.Guild, func(v *voice) {
		v.Served = w.Endpoint != ""
		if v.Served {
			v.servers++
		}
	})
	return nil
}

// voicesDescribed updates the voice state from the description of a server that had an outage: the
// bot may have been disconnected.
func (l *listener) voicesDescribed(g chat.GuildID, states []wireVoice) {
	own := l.Self().ID
	if !slices.ContainsFunc(states, func(w wireVoice) bool { return w.User == own }) {
		l.voices.change(g, (*voice).lose)
	}
}

// leaveOldVoices disconnects the bot from the voice channels in which an earlier process left it,
// since this one has no state for them; a new session begins in none. It does not wait for
// that.
func (l *listener) leaveOldVoices(ctx context.Context) {
	l.acks.Go(func() {
		for _, g := range l.servers {
			if err := l.sendVoiceState(ctx, g, "", false, false); err != nil {
				return // the connection is gone, and Discord disconnects the bot by itself
			}
		}
	})
}

// voiceOver resets the voice state on a server that the bot is no longer on.
func (l *listener) voiceOver(g chat.GuildID) {
	l.voices.change(g, func(v *voice) { v.VoiceState = chat.VoiceState{} })
}
