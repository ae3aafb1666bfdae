package discord

import (
	"context"
	"slices"

	"discoclaw/internal/chat"
)

// wireVoice is where somebody is in voice.
type wireVoice struct {
	Guild   chat.GuildID   `json:"guild_id"`   // missing in descriptions of a server
	Channel chat.ChannelID `json:"channel_id"` // empty, from null, for none
	User    chat.UserID    `json:"user_id"`
	Mute    bool           `json:"self_mute"`
	Deaf    bool           `json:"self_deaf"`
}

// voiceChanged takes what Discord tells about the bot itself. Others are of no
// interest yet.
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
		case v.Channel != "": // else it is an echo of how the last session ended
			v.VoiceState = chat.VoiceState{}
		}
	})
	return nil
}

// wireVoiceServer is who carries the sound. While nobody does, there is no address.
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

// voicesDescribed compares with what Discord says of a server that was out of order
// for a while: the bot may not have stayed.
func (l *listener) voicesDescribed(g chat.GuildID, states []wireVoice) {
	own := l.Self().ID
	if !slices.ContainsFunc(states, func(w wireVoice) bool { return w.User == own }) {
		l.voices.change(g, (*voice).lose)
	}
}

// leaveOldVoices takes the bot out of the voice channels in which the process that began
// the session left it: a new session begins in none, and nobody here knows of them. It
// does not wait for that.
func (l *listener) leaveOldVoices(ctx context.Context) {
	l.acks.Go(func() {
		for _, g := range l.servers {
			if err := l.sendVoiceState(ctx, g, "", false, false); err != nil {
				return // the connection is gone; Discord will miss the bot by itself
			}
		}
	})
}

// voiceOver is for a server that the bot is no longer on.
func (l *listener) voiceOver(g chat.GuildID) {
	l.voices.change(g, func(v *voice) { v.VoiceState = chat.VoiceState{} })
}
