package journal_test

import (
	"context"
	"path/filepath"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/journal"
	"discoclaw/internal/store"
)

type wreckage struct {
	What string `json:"what" doc:"What to wreck."`
}

// quick approves as soon as the card is posted.
type quick struct {
	approve func(o actions.Origin, reqs []actions.Request)
}

func (q *quick) Hold(_ context.Context, o actions.Origin, held []actions.Pending) error {
	var reqs []actions.Request
	for _, h := range held {
		reqs = append(reqs, h.Request)
	}
	q.approve(o, reqs)
	return nil
}

func TestAnImmediateApprovalIsRecorded(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := journal.New(db, journal.Options{})
	reg := actionstest.Registry(t, actionstest.Category{Called: "wrecking", List: []*actions.Action{
		actions.Define(actions.Spec[wreckage]{
			Name: "wreck", Summary: "Wreck something.", Destructive: true, Examples: []wreckage{{What: "car"}},
			Ask: func(_ context.Context, _ actions.Call, in wreckage) (wreckage, string, error) {
				return in, "Wreck it.", nil
			},
			Do: func(context.Context, actions.Call, wreckage) (actions.Result, error) {
				return actions.Result{Summary: "Wrecked"}, nil
			},
		}),
	}})
	gate := reg.Gate(actionstest.Open(reg))
	d := actions.NewDispatcher(actions.DispatcherOptions{}, actionstest.Permit)
	d.Record = j
	d.Hold = &quick{func(o actions.Origin, reqs []actions.Request) { d.ExecuteApproved(t.Context(), o, gate, reqs) }}
	o := actions.Origin{Turn: "t1", Flow: actions.FlowMessage, Place: chat.Place{Channel: "1", Message: "2"}}
	d.Execute(t.Context(), o, gate, []actions.Request{{Type: "wreck", Args: []byte(`{"type":"wreck","what":"car"}`)}})
	turns, err := j.Recent(t.Context(), "1", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range turns[0].Actions {
		t.Logf("%d %s: %s", e.Number, e.Type, e.Outcome)
		if e.Outcome == journal.Pending {
			t.Error("the entry still waits for approval")
		}
	}
}

func TestInversesHaveNoWebhookAddress(t *testing.T) {
	path := filepath.Join(t.TempDir(), store.FileName)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := journal.New(db, journal.Options{Hide: journal.Hiding(`se<ret&token"x`)})
	a := actionstest.Define("edit")
	for i, text := range []string{"https://discord.com/api/webhooks/123456789012345678/abc-DEF", `se<ret&token"x`} {
		o := actions.Origin{Turn: chat.TurnID(rune('a' + i)), Place: chat.Place{Channel: "1"}}
		j.Settled(t.Context(), o, actions.Outcome{Request: actions.Request{Type: "edit"}, Action: a, Result: actions.Result{
			Summary: "Edited", Undo: []actions.Inverse{actions.Reverse("give it its text "+text, "edit", map[string]string{"content": text})}}})
		turns, _ := j.Recent(t.Context(), "1", 1)
		for _, e := range turns[0].Actions {
			for _, inv := range e.Inverses {
				t.Errorf("kept: %s (%s)", inv.Request.Args, inv.Text)
			}
		}
	}
}
