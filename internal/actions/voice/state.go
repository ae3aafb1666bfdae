package voice

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/voice"
	"discoclaw/internal/voice/link"
)

// A VoiceStatus queries the bot's voice channel.
type VoiceStatus struct{}

func (c *Category) voiceStatus() *actions.Action {
	return actions.Define(actions.Spec[VoiceStatus]{
		Name:     "voiceStatus",
		Summary:  "Show which voice channel the bot is in, and how the call there is.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Examples: []VoiceStatus{{}},
		Do: func(ctx context.Context, call actions.Call, _ VoiceStatus) (actions.Result, error) {
			ch, err := c.bots(ctx, call)
			if err != nil {
				return actions.Result{}, err
			}
			status, _ := c.engine.Status(call.Origin.Place.Guild)
			if ch == "" || status.Channel != ch {
				return actions.Result{Found: "No active voice connections", Summary: "checked whether I am in a voice channel", Open: true}, nil
			}
			return actions.FoundIn(c.describe(ctx, call.Origin.Place.Guild, status), "looked up the voice connection in", chat.Channel{ID: ch}), nil
		},
	})
}

func (c *Category) describe(ctx context.Context, g chat.GuildID, s engine.Status) string {
	text := fmt.Sprintf("Voice connection: %s, %s since %s", s.Channel.Mention(), states[s.State], s.Since.UTC().Format("2006-01-02 15:04:05 UTC"))
	if s.Mute {
		text += ", muted"
	}
	if s.Deaf {
		text += ", deafened"
	}
	if call := c.engine.Call(g); call != nil {
		now, _ := call.State()
		text += ", " + describeCall(now)
	}
	if ch, err := c.server.ChannelByID(ctx, s.Channel); err == nil && ch.Kind == chat.Stage {
		text += ", in the audience until a moderator lets the bot speak"
	} else if c.server.CheckOwn(s.Channel, chat.Speak) != nil {
		text += fmt.Sprintf(", without the permission *%s*", chat.Speak)
	}
	return text
}

var states = map[engine.State]string{
	engine.Signalling: "waiting to be let in", engine.Connecting: "connecting", engine.Ready: "connected",
	engine.Disconnected: "disconnected and about to try again",
}

func describeCall(s link.State) string {
	others := "nobody else in the call"
	if n := len(s.People); n > 0 {
		others = chat.Counted(n, "other", "others") + " in the call"
	}
	encryption := "not encrypted end to end"
	if s.Version > 0 {
		encryption = fmt.Sprintf("encrypted end to end (DAVE %d)", s.Version)
	}
	if s.PrivacyCode != "" {
		var groups []string
		for group := range slices.Chunk([]byte(s.PrivacyCode), 5) {
			groups = append(groups, string(group))
		}
		encryption += ", voice privacy code " + strings.Join(groups, " ")
	}
	return fmt.Sprintf("%s, %s, %.0f%% of the sound lost lately", others, encryption, s.Loss*100)
}

// A VoiceMute mutes or unmutes the bot.
type VoiceMute struct {
	Mute bool `json:"mute" doc:"true to be silent, false to be able to speak."`
}

func (c *Category) voiceMute() *actions.Action {
	return adjust(c, actions.Spec[VoiceMute]{
		Name:     "voiceMute",
		Summary:  "Mute or unmute the bot in its voice channel.",
		Sentence: "{mute?Mute|Unmute} me in the voice channel[ {where}]",
		Examples: []VoiceMute{{Mute: true}},
		Do: func(ctx context.Context, call actions.Call, in VoiceMute) (actions.Result, error) {
			before, _ := c.engine.Status(call.Origin.Place.Guild)
			var back []actions.Inverse
			if before.Mute != in.Mute {
				back = append(back, actions.Reverse(word(in.Mute, "unmute", "mute")+" me in the voice channel", "voiceMute", VoiceMute{!in.Mute}))
			}
			err := c.engine.SetMute(ctx, call.Origin.Place.Guild, in.Mute)
			return actions.Done(err, word(in.Mute, "muted", "unmuted")+" myself in the voice channel", back...)
		},
	})
}

// A VoiceDeafen deafens or undeafens the bot.
type VoiceDeafen struct {
	Deafen bool `json:"deafen" alias:"deaf" doc:"true to hear nothing, false to be able to hear."`
}

func (c *Category) voiceDeafen() *actions.Action {
	return adjust(c, actions.Spec[VoiceDeafen]{
		Name:     "voiceDeafen",
		Summary:  "Deafen or undeafen the bot in its voice channel.",
		Sentence: "{deafen?Deafen|Undeafen} me in the voice channel[ {where}]",
		Examples: []VoiceDeafen{{Deafen: true}},
		Do: func(ctx context.Context, call actions.Call, in VoiceDeafen) (actions.Result, error) {
			before, _ := c.engine.Status(call.Origin.Place.Guild)
			var back []actions.Inverse
			if before.Deaf != in.Deafen {
				back = append(back, actions.Reverse(word(in.Deafen, "undeafen", "deafen")+" me in the voice channel", "voiceDeafen", VoiceDeafen{!in.Deafen}))
			}
			err := c.engine.SetDeaf(ctx, call.Origin.Place.Guild, in.Deafen)
			return actions.Done(err, word(in.Deafen, "deafened", "undeafened")+" myself in the voice channel", back...)
		},
	})
}

// adjust makes an action about the bot's voice channel.
func adjust[T any](c *Category, s actions.Spec[T]) *actions.Action {
	s.Needs = toConnect
	s.NeedsIn = func(ctx context.Context, call actions.Call, _ T) (chat.ChannelID, error) {
		ch, err := c.bots(ctx, call)
		if err == nil && ch == "" {
			err = errNotInVoice
		}
		return ch, err
	}
	do := s.Do
	s.Do = func(ctx context.Context, call actions.Call, in T) (actions.Result, error) {
		if _, err := c.still(ctx, call); err != nil {
			return actions.Result{}, err
		}
		return do(ctx, call, in)
	}
	return actions.Define(s)
}

// word chooses between two.
func word(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}
