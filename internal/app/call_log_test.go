package app

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm/script"
)

// TestTheLogOfCalls gets a copy of what was said, if everybody who reads it may enter the room.
func TestTheLogOfCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		rules  string
		later  func(l *lounge)
		copied bool
	}{
		"everybody may enter":                    {copied: true},
		"a reader may not enter":                 {rules: "deny Lounge zed: Connect\n"},
		"a reader does not see the room":         {rules: "deny Lounge zed: View Channel\n"},
		"who may not enter does not read it":     {rules: "deny Lounge zed: Connect\ndeny log zed: View Channel\n", copied: true},
		"a reader may not enter any more":        {later: func(l *lounge) { l.must(l.Deny("Lounge", "zed", chat.Connect)) }},
		"who may not enter may read it meantime": {rules: "deny Lounge zed: Connect\ndeny log zed: View Channel\n", later: func(l *lounge) { l.must(l.Allow("log", "zed", chat.ViewChannel)) }},
	} {
		t.Run(name, func(t *testing.T) {
			model := script.New(script.Say("It is open."))
			inLoungeWith(t, inLounge+tt.rules, model, func(l *lounge) {
				l.join()
				ada := l.enter("ada")
				if tt.later != nil {
					tt.later(l)
				}
				ada.ask("open the window")
				want := ""
				if tt.copied {
					want = "**ada** (voice): open the window\n**DiscoClaw** (voice reply): It is open."
				}
				if got := l.chat("log"); got != want {
					t.Errorf("the log has %q", got)
				}
				if !strings.Contains(l.chat("Lounge"), "It is open.") {
					t.Errorf("the chat has\n%s", l.chat("Lounge"))
				}
			}, "DISCOCLAW_VOICE_LOG_CHANNEL={log}")
		})
	}
}
