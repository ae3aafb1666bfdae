package voice

import (
	"context"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

// Commands implements [commands.Commander]: !voice puts the bot into voice channels without a model. Whether it may hear them is up to
// everybody, whatever is switched off.
func (c *Category) Commands() []commands.Command {
	return []commands.Command{{
		Name: "voice", Summary: "Have me join or leave a voice channel, or say how the call is.", Where: commands.OnServers,
		Always: []string{"ignore", "hear"},
		Hidden: "Not everybody here may see that voice channel. Ask me with `/discoclaw voice`, which answers you alone.",
		Verbs: []commands.Verb{
			{Name: "status", Type: "voiceStatus"},
			{Name: "join", Type: "voiceJoin", Missing: "Say which voice channel.", Example: "!voice join Lounge"},
			{Name: "leave", Type: "voiceLeave"},
			{Name: "mute", Type: "voiceMute", Given: map[string]any{"mute": true}},
			{Name: "unmute", Type: "voiceMute", Given: map[string]any{"mute": false}},
			{Name: "deafen", Type: "voiceDeafen", Given: map[string]any{"deafen": true}},
			{Name: "undeafen", Type: "voiceDeafen", Given: map[string]any{"deafen": false}},
			{Name: "ignore", Run: c.ignore},
			{Name: "hear", Run: c.hear},
		},
		Options: []commands.Option{
			{Name: commands.What, Summary: "What to do; how the call is, if left out."},
			{Name: "channel", Summary: "For join, which voice channel."},
		},
	}}
}

func (c *Category) ignore(ctx context.Context, m chat.Message, whom string) (string, error) {
	if err := onlyMe(whom, "!voice ignore me"); err != nil {
		return "", err
	}
	return "I don't listen to you in calls any more, on any server. `!voice hear me` takes that back.", c.People.Ignore(ctx, m.Author.ID)
}

func (c *Category) hear(ctx context.Context, m chat.Message, whom string) (string, error) {
	if err := onlyMe(whom, "!voice hear me"); err != nil {
		return "", err
	}
	return "In calls that I am in, I listen to you again.", c.People.Hear(ctx, m.Author.ID)
}

// onlyMe refuses what is said about others, who decide for themselves.
func onlyMe(whom, example string) error {
	if whom == "" || strings.EqualFold(whom, "me") {
		return nil
	}
	return &commands.UsageError{Problem: "You can say that for yourself alone.", Example: example}
}
