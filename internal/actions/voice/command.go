package voice

import "discoclaw/internal/commands"

// Commands implements [commands.Commander]: !voice puts the bot into voice channels without a model.
func (*Category) Commands() []commands.Command {
	return []commands.Command{{
		Name: "voice", Summary: "Have me join or leave a voice channel, or say how the call is.", Where: commands.OnServers,
		Hidden: "Not everybody here may see that voice channel. Ask me with `/discoclaw voice`, which answers you alone.",
		Verbs: []commands.Verb{
			{Name: "status", Type: "voiceStatus"},
			{Name: "join", Type: "voiceJoin", Missing: "Say which voice channel.", Example: "!voice join Lounge"},
			{Name: "leave", Type: "voiceLeave"},
			{Name: "mute", Type: "voiceMute", Given: map[string]any{"mute": true}},
			{Name: "unmute", Type: "voiceMute", Given: map[string]any{"mute": false}},
			{Name: "deafen", Type: "voiceDeafen", Given: map[string]any{"deafen": true}},
			{Name: "undeafen", Type: "voiceDeafen", Given: map[string]any{"deafen": false}},
		},
		Options: []commands.Option{
			{Name: commands.What, Summary: "What to do; how the call is, if left out."},
			{Name: "channel", Summary: "For join, which voice channel."},
		},
	}}
}
