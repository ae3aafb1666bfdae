package scenario

import (
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/llm/script"
)

// flooded is a small world in which the model has answered a message of ada's.
func flooded(t *testing.T, reply string) *stage {
	t.Helper()
	st := newStage(t, "guild disco: #general #ops\nmember ada: owner\n", "DISCOCLAW_ACTION_FOLLOWUP_DEPTH=0")
	st.answers = []answer{{answer: script.Answer{script.Text(reply)}}}
	if err := st.say("ada", "general", "go on"); err != nil {
		t.Fatal(err)
	}
	st.settle()
	st.RequireNoMentions(t)
	return st
}

// TestAReplyThatIsTooLongDoesNothing: more than half a megabyte is an error, and its actions are
// not executed.
func TestAReplyThatIsTooLongDoesNothing(t *testing.T) {
	t.Parallel()
	const order = `<discord-action>{"type":"sendMessage","channel":"ops","content":"flood"}</discord-action>`
	for name, reply := range map[string]string{
		"text":           order + strings.Repeat("@everyone all work and no play. ", 20_000) + order,
		"actions":        strings.Repeat(order, 8_000),
		"open blocks":    strings.Repeat("<discord-action>", 40_000),
		"one open block": order + `<discord-action>{"type":"sendMessage","channel":"ops","content":"` + strings.Repeat("{", 600_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := flooded(t, reply)
				if said := st.Messages("ops"); len(said) > 0 {
					t.Errorf("%d messages were sent to #ops", len(said))
				}
				if said := st.Messages("general"); len(said) != 2 || !strings.Contains(said[1].Content, "Nothing was done.") {
					t.Errorf("#general:\n%s", st.Transcript())
				}
			})
		})
	}
}

// TestALongReplyIsOneMessage: just below that limit, it becomes an attachment.
func TestALongReplyIsOneMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := flooded(t, strings.Repeat("@everyone all work and no play. ", 15_000))
		if said := st.Messages("general"); len(said) != 2 || len(said[1].Attachments) != 1 {
			t.Errorf("#general:\n%s", st.Transcript())
		}
	})
}

// TestManyDestructiveActionsAreOneQuestion: those beyond the limit of a reply are not even
// on the card.
func TestManyDestructiveActionsAreOneQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := flooded(t, strings.Repeat(`<discord-action>{"type":"channelDelete","channelId":"ops"}</discord-action>`, 100))
		cards, items, beyond := 0, false, false
		for _, m := range st.Messages("general") {
			items = items || strings.Contains(m.Content, "**25 × Delete a channel")
			beyond = beyond || strings.Contains(m.Content, "at most 25 things in one reply; 75 things were not done")
			if strings.Contains(m.Content, "!confirm") {
				cards++
			}
		}
		if cards != 1 || !items || !beyond {
			t.Errorf("%d cards, with 25 items: %v, and the others were refused: %v:\n%s", cards, items, beyond, st.Transcript())
		}
		if _, there := st.Channel("ops"); !there {
			t.Error("it was done")
		}
	})
}
