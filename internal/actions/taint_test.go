package actions_test

import (
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

// TestAQueryThatDeclaresNothingMarksItsTurn: a new query is on the safe side until it says what it reads.
func TestAQueryThatDeclaresNothingMarksItsTurn(t *testing.T) {
	t.Parallel()
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		actionstest.Define("look", func(s *actionstest.Spec) { s.Effect = actions.Queries }),
		actionstest.Define("count", func(s *actionstest.Spec) { s.Effect, s.Reads = actions.Queries, actions.Names }),
	}})
	outs := actions.NewDispatcher(actions.DispatcherOptions{}).Execute(t.Context(), actions.Origin{}, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: "look"}, {Type: "count"}})
	for i, want := range []chat.Sources{"what look found", ""} {
		if got := outs[i].Result.Outside; got != want {
			t.Errorf("%s: %q, want %q", outs[i].Request.Type, got, want)
		}
	}
}
