package gather

import (
	"testing"

	"discoclaw/internal/chat"
)

func TestALeadingMentionIsStripped(t *testing.T) {
	s := &Self{}
	if got := s.StripMention(chat.Message{Text: "<@> hi"}).Text; got != "<@> hi" {
		t.Errorf("while nobody knows who the bot is: %q", got)
	}
	s.Become(chat.User{ID: "1"})
	for in, want := range map[string]string{
		"<@1> what is up?":       "what is up?",
		"  <@!1>, what is up?":   "what is up?",
		"<@1>\n!help":            "!help",
		"is <@1> up?":            "is <@1> up?",
		"<@1> <@1> hi":           "<@1> hi",
		"<@12> hi":               "<@12> hi",
		"<@1>":                   "<@1>",
		"<@1> : ":                "<@1> : ",
		"":                       "",
		"ask <@2> about <@1> ok": "ask <@2> about <@1> ok",
	} {
		if got := s.StripMention(chat.Message{Text: in}).Text; got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
