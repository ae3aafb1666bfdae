package scenario

import (
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/script"
)

// TestAnAnswerRepliesToTheLastMessageOfItsBatch: transcripts do not show replies.
func TestAnAnswerRepliesToTheLastMessageOfItsBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, "guild disco: #general\nmember ada: owner\nmember bob", "")
		st.answers = []answer{
			{answer: script.Answer{script.Pause(3 * time.Second), script.Text("First.")}},
			{answer: script.Say("Ada's three.")},
			{answer: script.Say("Bob's.")},
		}
		first := st.MustSay("ada", "general", "zero")
		synctest.Wait()
		st.MustSay("ada", "general", "one")
		st.MustSay("ada", "general", "two")
		last := st.MustSay("ada", "general", "three")
		bobs := st.MustSay("bob", "general", "four")
		st.settle()
		for text, want := range map[string]fakediscord.Message{"First.": first, "Ada's three.": last, "Bob's.": bobs} {
			if got, err := st.latest(text); err != nil || got.ReplyTo != want.ID {
				t.Errorf("%q replies to %s, want %s (%q); %v", text, got.ReplyTo, want.ID, want.Content, err)
			}
		}
	})
}
