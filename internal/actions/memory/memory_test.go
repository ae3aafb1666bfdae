package memory_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest/server"
	memoryact "discoclaw/internal/actions/memory"
	"discoclaw/internal/chat"
	"discoclaw/internal/memory"
	"discoclaw/internal/store"
)

const layout = `
guild disco: #general
member ada: owner
member bob
stranger zed
`

// A notebook is a server whose bot has the category.
type notebook struct {
	*server.Server
	t      *testing.T
	engine *memory.Engine
	asked  []string // the questions to the model
	answer func(ctx context.Context) (string, error)
	payer  chat.UserID
}

// ask is the model.
func (n *notebook) ask(ctx context.Context, o actions.Origin, _, text string) (string, error) {
	n.asked, n.payer = append(n.asked, text), o.Requester
	if n.answer == nil {
		return "They talk about tea.", nil
	}
	return n.answer(ctx)
}

func withNotebook(t *testing.T, test func(t *testing.T, n *notebook)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), path)
		w.Must(err)
		t.Cleanup(func() { _ = db.Close() })
		n := &notebook{Server: w, t: t, engine: memory.New(db, memory.Options{Budget: 2000, MaxActive: 25, MaxItems: 200})}
		w.Offer(memoryact.New(memoryact.Options{Engine: n.engine, Server: w.Bot, Ask: n.ask}))
		w.Asked.Place.Message = "" // the one of the turn would be older than all others
		test(t, n)
	})
}

// requireItems compares the items that a member has in use, with their importance.
func (n *notebook) requireItems(who string, want ...string) {
	n.t.Helper()
	all, err := n.engine.Items(n.t.Context(), n.UserID(who))
	n.Must(err)
	var got []string
	for _, it := range all {
		if it.Active {
			got = append(got, fmt.Sprintf("%d %s", it.Importance, it.Text))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		n.t.Errorf("%s has %q, want %q", who, got, want)
	}
}

func TestMemoryTier(t *testing.T) {
	withNotebook(t, func(t *testing.T, n *notebook) {
		for _, text := range []string{"Prefers green tea.", "Hates black tea.", "Plays chess."} {
			n.RequirePart("ada", `{"type":"memoryRemember","text":"`+text+`"}`, "Done: ")
		}
		n.RequirePart("bob", `{"type":"memoryRemember","text":"Likes tea."}`, "Done: ")
		raised := n.Require("ada", `{"type":"memoryTier","tier":3,"match":"TEA"}`, "Done: marked 2 memories with “TEA” as important")
		n.requireItems("ada", "3 Prefers green tea.", "3 Hates black tea.", "2 Plays chess.")
		n.requireItems("bob", "2 Likes tea.")
		n.Undo(raised)
		n.requireItems("ada", "2 Prefers green tea.", "2 Hates black tea.", "2 Plays chess.")
		again := n.Require("ada", `{"type":"memoryTier","tier":2,"match":"chess"}`, "Done: marked 1 memory with “chess” as normal")
		if len(again.Result.Undo) > 0 {
			t.Errorf("what did not change is undone: %+v", again.Result.Undo)
		}
		n.Require("ada", `{"type":"memoryTier","tier":1,"match":"chess"}`, "Done: marked 1 memory with “chess” as less important")

		made := n.Require("ada", `{"type":"memoryTier","tier":3,"match":"Is allergic to nuts."}`, "Done: remembered “Is allergic to nuts.” as important")
		n.requireItems("ada", "2 Prefers green tea.", "2 Hates black tea.", "1 Plays chess.", "3 Is allergic to nuts.")
		n.Undo(made)
		n.requireItems("ada", "2 Prefers green tea.", "2 Hates black tea.", "1 Plays chess.")
	})
}

func TestMemoryTierRefuses(t *testing.T) {
	withNotebook(t, func(t *testing.T, n *notebook) {
		for in, want := range map[string]string{
			`"tier":4,"match":"tea"`:               "tier: ",
			`"tier":0,"match":"tea"`:               "tier: ",
			`"match":"tea"`:                        "tier: missing",
			`"tier":2,"match":"  "`:                "match: empty",
			`"tier":2,"match":"durable-0123abcd"`:  "I don't use that memory any more",
			`"tier":"high","match":"the long way"`: "tier: ",
			`"tier":3,"match":"` + tooLong + `"`:   "match: has 1001 characters",
		} {
			n.RequirePart("ada", `{"type":"memoryTier",`+in+`}`, "Failed: memoryTier: ", want)
		}
		n.RequirePart("", `{"type":"memoryTier","tier":3,"match":"tea"}`, "Failed: ")
		n.Asked.Prompters = chat.Union(n.UserID("bob"), "")
		n.RequirePart("ada", `{"type":"memoryTier","tier":3,"match":"tea"}`, "Failed: ", "asked by more than one")
		n.requireItems("ada")
	})
}

var tooLong = strings.Repeat("x", memory.MaxText+1)

// TestOutsideTextIsNeverImportant: what is important is in every prompt of a person, and would make all of their turns distrusted.
func TestOutsideTextIsNeverImportant(t *testing.T) {
	withNotebook(t, func(t *testing.T, n *notebook) {
		n.RequirePart("ada", `{"type":"memoryRemember","text":"Likes apples.","importance":3}`, "Done: ")
		n.Asked.Outside = "a message by zed"
		n.RequirePart("ada", `{"type":"memoryRemember","text":"Zed is an operator.","importance":3}`, "Done: ")
		n.RequirePart("ada", `{"type":"memoryTier","tier":3,"match":"Zed"}`, "Failed: ", "the idea may come from a message by zed")
		all, err := n.engine.Items(t.Context(), n.UserID("ada"))
		for _, it := range all {
			if (it.Importance == memory.Major) != (it.Outside == "") {
				t.Errorf("%q has the importance %d", it.Text, it.Importance)
			}
		}
		if err != nil || len(all) != 2 {
			t.Errorf("ada has %+v: %v", all, err)
		}
	})
}

// TestWhatATierStoresIsMarked: what is remembered after text by outsiders was read taints the turns that read it.
func TestWhatATierStoresIsMarked(t *testing.T) {
	withNotebook(t, func(t *testing.T, n *notebook) {
		n.Asked.Outside = "a message by zed"
		n.RequirePart("ada", `{"type":"memoryTier","tier":2,"match":"Likes tea."}`, "Done: ")
		all, err := n.engine.Items(t.Context(), n.UserID("ada"))
		if err != nil || len(all) != 1 || all[0].Outside != "a message by zed" {
			t.Errorf("ada has %+v: %v", all, err)
		}
	})
}

// TestNotesKeepWithinTheirBudget: what was written lately has its share, however long the rest is.
func TestNotesKeepWithinTheirBudget(t *testing.T) {
	t.Parallel()
	const budget = 2000
	long := strings.Repeat("ü🔥\n", 3000)
	for _, docs := range [][]chat.Document{
		{{Name: "MEMORY.md", Text: long}},
		{{Name: "MEMORY.md", Text: long}, {Name: "memory/today.md", Text: "Ada came."}},
		{{Name: "MEMORY.md", Text: long}, {Name: "memory/today.md", Text: long}, {Name: "memory/yesterday.md", Text: long}},
	} {
		text := memoryact.QuotedNotes(docs).Text
		if n := utf8.RuneCountInString(text); n > budget || n < budget-10 {
			t.Errorf("%d notes have %d characters", len(docs), n)
		}
		for _, d := range docs {
			if !strings.Contains(text, d.Name+":\n") || d.Text != long && !strings.Contains(text, d.Text) {
				t.Errorf("%s is missing in\n%s", d.Name, text)
			}
		}
	}
}
