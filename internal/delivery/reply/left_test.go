package reply_test

import (
	"testing"

	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// TestAnotherTurnGoesOnWithAPlaceholder that a turn has left: it is in flight for that one alone.
func TestAnotherTurnGoesOnWithAPlaceholder(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r, _ := b.open(t, "general")
		left := b.id()
		share := func(tx *store.Tx) error {
			return b.outbox.Share(t.Context(), tx, "turn", turn.First, "after-turn", turn.First)
		}
		b.Must(b.db.Tx(t.Context(), share))
		b.Must(b.db.Tx(t.Context(), share)) // a turn that is resumed does it again
		r.Leave(t.Context(), "going on")
		if m := b.message(t, left); m.Content != "going on" || len(m.Buttons()) != 1 {
			t.Errorf("left: %+v", m)
		}
		b.Must(b.db.Tx(t.Context(), func(tx *store.Tx) error { return b.outbox.Close(t.Context(), tx, "turn") }))
		flying, err := b.outbox.InFlight(t.Context())
		b.Must(err)
		if len(flying) != 1 || flying[0].Turn != "after-turn" || flying[0].Message != left {
			t.Errorf("in flight: %+v", flying)
		}
		next := b.openAs(t, b.options("general", "after-turn"), turn.First)
		if b.id() != left {
			t.Errorf("it goes on in %s, not in %s", b.id(), left)
		}
		receipt, err := next.Finish(t.Context(), turn.Body{Text: "the result"})
		b.Must(err)
		if got := b.message(t, left); got.Content != "the result" || receipt.Messages[0] != left {
			t.Errorf("the result: %+v, %+v", got, receipt)
		}
		if n := len(b.Messages("general")); n != 2 {
			t.Errorf("%d messages", n)
		}
	})
}
