package confirm_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// requireCards requires so many open cards.
func (o *office) requireCards(n int) {
	o.t.Helper()
	synctest.Wait()
	if got := strings.Count(o.Transcript(), "button Approve"); got != n {
		o.t.Errorf("%d cards, not %d:\n%s", got, n, o.Transcript())
	}
}

// TestTheRepliesOfATurnHaveOneCard, unless people have answered it meanwhile. What it replaces can no longer be approved.
func TestTheRepliesOfATurnHaveOneCard(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		o.ask("Wreck the boat.")
		o.ask("Wreck the boat.") // a model that repeats itself, or a turn that is resumed
		o.requireCards(1)
		o.requireEnd("1. Wreck the car.", "2. Wreck the boat.")
		if got := o.confirm("ada", "a-token"); !strings.Contains(got, "card below") || o.done.Load() != 0 {
			t.Errorf("the first card: %q; done %d times", got, o.done.Load())
		}
		if got := o.confirm("ada", "b-token"); got != "" || o.done.Load() != 2 {
			t.Errorf("the card of both: %q; done %d times", got, o.done.Load())
		}
		o.ask("Wreck the bike.")
		o.requireCards(1)
		o.requireEnd(": wreck the bike?")
	})
}

// TestCardsOfDifferentKindsStayApart: many changes are counted, not listed, and another turn asks for itself.
func TestCardsOfDifferentKindsStayApart(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		wreck := actions.Request{Type: "wreck", Args: []byte(`{}`)}
		for turn, held := range map[chat.TurnID]actions.Pending{
			"t1": {Request: wreck, What: "Wreck it all.", Kind: "Wreck"}, "t2": {Request: wreck, What: "Wreck the boat."},
		} {
			if err := o.service.Hold(t.Context(), o.origin(turn), []actions.Pending{held}); err != nil {
				t.Error(err)
			}
		}
		o.requireCards(3)
	})
}

// TestAnEarlierCardGoesAlsoAfterARestart: the process ends before it is deleted.
func TestAnEarlierCardGoesAlsoAfterARestart(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		o.Fail(fakediscord.Fault{Match: "DELETE /channels/{channel}/messages/{message}", Status: 403})
		o.ask("Wreck the boat.")
		o.requireCards(2)
		o.close()
		o.Recover()
		o.open()
		o.requireCards(1)
	})
}

// TestACardThatCannotBePostedLeavesTheEarlierOne open.
func TestACardThatCannotBePostedLeavesTheEarlierOne(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		o.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Status: 403})
		held := []actions.Pending{{Request: actions.Request{Type: "wreck", Args: []byte(`{}`)}, What: "Wreck the boat."}}
		if err := o.service.Hold(t.Context(), o.origin("t1"), held); err == nil {
			t.Error("the second card could not be posted, and that was no error")
		}
		o.Recover()
		time.Sleep(time.Minute)
		o.requireCards(1)
		if got := o.confirm("ada", "a-token"); got != "" || o.done.Load() != 1 {
			t.Errorf("%q; done %d times", got, o.done.Load())
		}
	})
}
