package actions

import (
	"fmt"
	"testing"

	"discoclaw/internal/chat"
)

func TestPerTurn(t *testing.T) {
	var p PerTurn
	for i := range 5 {
		if got := p.Take("a", 3); got != (i < 3) {
			t.Errorf("time %d: %v", i+1, got)
		}
		if !p.Take("", 3) {
			t.Error("outside of a turn there is a limit")
		}
	}
	if !p.Take("b", 3) {
		t.Error("another turn has had none")
	}
}

// TestTurnsAreForgotten: a bot that runs for months counts no more than it must.
func TestTurnsAreForgotten(t *testing.T) {
	var p PerTurn
	for i := range 3 * keptTurns {
		for range 2 {
			p.Take(chat.TurnID(fmt.Sprint(i)), 5)
		}
	}
	if len(p.used) != keptTurns || len(p.turns) != keptTurns {
		t.Errorf("%d turns are counted, in a list of %d", len(p.used), len(p.turns))
	}
}
