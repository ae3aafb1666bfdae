package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// weights lists the active items of a person with their importance.
func (e *Engine) weights(t *testing.T) string {
	t.Helper()
	all, err := e.Items(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, it := range all {
		if it.Active {
			list = append(list, fmt.Sprintf("%s %d", it.Text, it.Importance))
		}
	}
	return strings.Join(list, ", ")
}

func TestSetImportance(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"all that contain it, whatever the case", "tEa", "green tea 3, black tea 3, chess 2"},
		{"spaces do not count", " black\n tea ", "green tea 2, black tea 3, chess 2"},
		{"by its ID", idOf("fact", "chess"), "green tea 2, black tea 2, chess 3"},
		{"none", "bees", "green tea 2, black tea 2, chess 2"},
		{"what was put aside", "iced", "green tea 2, black tea 2, chess 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inTime(t, func(t *testing.T, e *Engine) {
				for _, text := range []string{"iced tea", "green tea", "black tea", "chess"} {
					e.must(t, ada, Item{Text: text})
				}
				e.must(t, bob, Item{Text: "green tea"})
				if _, _, err := e.Forget(t.Context(), ada, "iced tea"); err != nil {
					t.Fatal(err)
				}
				before, err := e.SetImportance(t.Context(), ada, tt.text, Major)
				if got := e.weights(t); err != nil || got != tt.want || len(before) != strings.Count(tt.want, "3") {
					t.Errorf("ada has %s, of which %d were changed: %v", got, len(before), err)
				}
				for _, it := range before {
					if it.Importance != Normal {
						t.Errorf("%s had importance %d", it.Text, it.Importance)
					}
				}
				if all, err := e.Items(t.Context(), bob); err != nil || all[0].Importance != Normal {
					t.Errorf("bob has %+v: %v", all, err)
				}
			})
		})
	}
	inTime(t, func(t *testing.T, e *Engine) {
		if _, err := e.SetImportance(t.Context(), ada, " \n", Major); err == nil {
			t.Error("an empty text is in every item")
		}
	})
}

// TestWhatIsSaidAgainStaysImportant: a conversation that is summed up finds the same things again, without an importance.
func TestWhatIsSaidAgainStaysImportant(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		e.must(t, ada, Item{Text: "likes tea", Importance: Major})
		e.must(t, ada, Item{Text: "likes tea", Source: ByTalk})
		if got := e.weights(t); got != "likes tea 3" {
			t.Errorf("ada has %s", got)
		}
		if _, _, err := e.Forget(t.Context(), ada, "likes tea"); err != nil {
			t.Fatal(err)
		}
		e.must(t, ada, Item{Text: "likes tea"})
		if got := e.weights(t); got != "likes tea 2" {
			t.Errorf("what was forgotten is still important: %s", got)
		}
	})
}

// TestMajorItemsHaveRoomFirst: before an item that is about the question, and newer.
func TestMajorItemsHaveRoomFirst(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		e.must(t, ada, Item{Text: "is allergic to nuts", Importance: Major})
		time.Sleep(90 * 24 * time.Hour)
		e.must(t, ada, Item{Text: "likes tea"})
		e.Budget = 60 // for one of them
		got, err := e.Select(t.Context(), ada, "which tea is green tea?")
		if want := "- [fact] is allergic to nuts (2000-01-01)"; err != nil || got.Text != want {
			t.Errorf("selected is\n%s\nwant\n%s\n%v", got.Text, want, err)
		}
	})
}
