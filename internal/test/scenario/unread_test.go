package scenario

import (
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm/script"
)

// TestAHiddenMessageIsNotQuoted when a member removes an earlier reaction to it.
func TestAHiddenMessageIsNotQuoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, "guild disco: #general\nmember ada: owner\nmember bob\n", "DISCOCLAW_REACTION_REMOVE_HANDLER=1")
		for _, says := range []string{"Noted.", "HEARTBEAT_OK", "It is 4711."} {
			st.answers = append(st.answers, answer{answer: script.Answer{script.Text(says)}})
		}
		st.must(t, st.say("ada", "general", "the code is 4711"))
		st.must(t, st.react("bob", true, "👍", "the code"))
		st.must(t, st.Deny("general", "bob", chat.ReadHistory))
		time.Sleep(time.Minute)
		before := len(st.Requests())
		st.must(t, st.react("bob", false, "👍", "the code"))
		if len(st.answers) != 1 {
			t.Errorf("the model was asked:\n%s", st.Transcript())
		}
		for _, x := range st.Requests()[before:] {
			if x.Method != "GET" {
				t.Errorf("%s %s", x.Method, x.Route)
			}
		}
	})
}

// must waits until the effects of an action are over.
func (st *stage) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	st.settle()
}
