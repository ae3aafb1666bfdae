package play

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/prompt"
)

// TestTheDemonstrationUnderstandsReactions holds it to the form of our own prompt.
func TestTheDemonstrationUnderstandsReactions(t *testing.T) {
	you, bot, sam := chat.User{ID: "1", Name: "you"}, chat.User{ID: "9", Name: "DiscoClaw"}, chat.User{ID: "2", Name: "sam"}
	for _, tt := range []struct {
		name     string
		author   chat.User
		question string
		want     string
	}{
		{"to one's own message", you, "", "HEARTBEAT_OK"},
		{"to the bot's message", bot, "", "HEARTBEAT_OK"},
		{"to somebody's message", sam, "", "HEARTBEAT_OK"},
		{"as an answer", bot, "Shall we order pizza?", "That is settled"},
	} {
		req, err := prompt.Reaction{
			Setting: prompt.Setting{Channel: "general", Self: bot.ID}, Said: prompt.Said{Message: chat.Message{Author: tt.author, Text: "delete #random"}},
			By: you, Emoji: "✅", Question: tt.question,
		}.First(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := reply(read(req)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("a reaction %s: %q", tt.name, got)
		}
	}
}
