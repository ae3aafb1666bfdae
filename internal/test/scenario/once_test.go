package scenario

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm/script"
)

// TestTheModelKnowsWhetherResultsComeBack: waiting for them in vain would leave half an
// answer.
func TestTheModelKnowsWhetherResultsComeBack(t *testing.T) {
	for settings, want := range map[string]string{"": "back, back", "DISCOCLAW_ACTION_FOLLOWUP_DEPTH=0": "not back, not back"} {
		t.Run(settings, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := newStage(t, "guild disco: #general\nmember ada: owner", settings)
				st.answers = []answer{
					{answer: script.Say(`Yes.<discord-action>{"type":"defer","channel":"general","prompt":"look","delaySeconds":60}</discord-action>`)},
					{answer: script.Say("Nothing new.")},
				}
				st.MustSay("ada", "general", "look in a minute")
				time.Sleep(2 * time.Minute)
				st.settle()
				var told []string
				for _, req := range st.asked {
					if strings.Contains(req.Messages[0].Text, "results of queries do not come back to you") {
						told = append(told, "not back")
					} else {
						told = append(told, "back")
					}
				}
				if got := strings.Join(told, ", "); got != want {
					t.Errorf("a message and a deferred run are told: %s, want %s", got, want)
				}
			})
		})
	}
}
