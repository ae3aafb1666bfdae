package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm/script"
)

// TestMissedMessagesRespectTheRightToReadHistory: with a message that was missed, or replayed after a restart, the bot
// does not learn the rights of its author.
func TestMissedMessagesRespectTheRightToReadHistory(t *testing.T) {
	t.Parallel()
	for _, resumes := range []bool{false, true} {
		t.Run(fmt.Sprintf("the session is resumed: %v", resumes), func(t *testing.T) {
			onHost(t, "guild disco: #general\nmember ada: owner\nmember ben\n", func(h *host) {
				h.must(h.Deny("general", "ben", chat.ReadHistory))
				h.serves("ada", "ben")
				if resumes {
					h.env["DISCOCLAW_CATCHUP_MINUTES"] = "0" // the message is replayed, so no gap has to be read
				}
				model := script.New(script.Say("Noted."), script.Say("Nothing."))
				h.model = model
				h.start()
				h.ask("the word is swordfish")
				time.Sleep(time.Minute)
				h.stop()
				if !resumes {
					h.Gateway().ForgetSessions()
				}
				asked := h.MustSay("ben", "general", "what did ada say?").ID
				h.run(nil)
				h.answeredIn(1, "ben", "general", asked, "Nothing.")
				if got := fmt.Sprint(model.Requests()[1]); strings.Contains(got, "swordfish") {
					t.Errorf("the model was told:\n%s", got)
				}
			}, "DISCOCLAW_RESPOND=all")
		})
	}
}
