package play

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/prompt"
)

// TestTheDemonstrationUnderstandsReactions checks it against our own prompt.
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
			Setting: prompt.Setting{Who: prompt.Who{Self: bot.ID}, Where: prompt.Where{Channel: "general"}}, Said: prompt.Said{Message: chat.Message{Author: tt.author, Text: "delete #random"}},
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

// TestTheDemonstrationLooksAtFiles checks it against our own prompt.
func TestTheDemonstrationLooksAtFiles(t *testing.T) {
	picture := chat.Picture{Name: "a.png", Type: "image/png"}
	for _, tt := range []struct {
		name, text string
		enclosed   chat.Opened
		want       string
	}{
		{"pictures", "what is this?", chat.Opened{Pictures: []chat.Picture{picture, picture}}, "I see 2 picture(s). A"},
		{"a text that has code in it", "", chat.Opened{Texts: []chat.Document{{Name: "notes.md", Text: "one\n```\ntwo\n```\nfive"}}}, "I read 5 line(s) of `notes.md`. A"},
		{"both", "look", chat.Opened{Pictures: []chat.Picture{picture}, Texts: []chat.Document{{Name: "a", Text: "x"}, {Name: "b", Text: "y\nz"}}}, "I see 1 picture(s). I read 1 line(s) of `a`. I read 2 line(s) of `b`."},
		{"what was asked comes first", "ban sam", chat.Opened{Pictures: []chat.Picture{picture}}, "I would."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req, err := prompt.Message{
				Setting: prompt.Setting{Where: prompt.Where{Channel: "general"}}, Said: []prompt.Said{{Message: chat.Message{Author: chat.User{ID: "1", Name: "you"}, Text: tt.text}, Opened: tt.enclosed}},
			}.First(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := reply(read(req)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}
