package memory

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

const ada, bob chat.UserID = "111111111111111111", "222222222222222222"

// inTime runs a test in fake time with an engine of small limits.
func inTime(t *testing.T, f func(t *testing.T, e *Engine)) {
	synctest.Test(t, func(t *testing.T) {
		db := new(store.DB)
		if err := db.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName)); err != nil {
			t.Fatal(err)
		}
		f(t, New(db, Options{Budget: 300, MaxActive: 4, MaxItems: 8}))
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

func (e *Engine) must(t *testing.T, who chat.UserID, it Item) Item {
	t.Helper()
	it, err := e.Remember(t.Context(), who, it)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // so that items have an order
	return it
}

// texts lists the items of a person, the inactive ones in brackets.
func (e *Engine) texts(t *testing.T, who chat.UserID) string {
	t.Helper()
	all, err := e.Items(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, it := range all {
		if it.Active {
			list = append(list, it.Text)
		} else {
			list = append(list, "["+it.Text+"]")
		}
	}
	return strings.Join(list, ", ")
}

func TestItemsAreDedupedByKindAndWords(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		first := e.must(t, ada, Item{Text: "Likes  Tea"})
		again := e.must(t, ada, Item{Text: "likes tea\n"})
		other := e.must(t, ada, Item{Text: "likes tea", Kind: "preference"})
		if first.ID != again.ID || first.ID == other.ID || !strings.HasPrefix(first.ID, "durable-") || len(first.ID) != len("durable-")+8 {
			t.Errorf("the IDs are %s, %s, %s", first.ID, again.ID, other.ID)
		}
		e.must(t, bob, Item{Text: "likes coffee"})
		if got := e.texts(t, ada); got != "likes tea, likes tea" {
			t.Errorf("ada has %s", got)
		}
	})
}

func TestWhatCannotBeRemembered(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		for _, tt := range []struct {
			it   Item
			want string
		}{
			{Item{Text: " \n "}, "say what to remember"},
			{Item{Text: strings.Repeat("x", MaxText+1)}, "that has 1001 characters, and I can remember 1000 at a time"},
			{Item{Text: "x", Kind: "rumour"}, "`rumour` is no kind of memory; the kinds are fact, preference, project, constraint, person, tool, workflow"},
		} {
			if _, err := e.Remember(t.Context(), ada, tt.it); err == nil || err.Error() != tt.want {
				t.Errorf("the error is %v, want %s", err, tt.want)
			}
		}
	})
}

// TestAFullMemoryLearns: the newest item is never the one that goes, though it is the only one that was of no use yet.
func TestAFullMemoryLearns(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		for i := range 4 {
			e.must(t, ada, Item{Text: fmt.Sprintf("knows subject%d", i)})
			time.Sleep(time.Hour)
		}
		time.Sleep(48 * time.Hour)
		for range 3 {
			if _, err := e.Select(t.Context(), ada, "subject0 subject2 subject3"); err != nil {
				t.Fatal(err)
			}
		}
		e.flush(t.Context())
		e.must(t, ada, Item{Text: "new"})
		if got := e.texts(t, ada); got != "knows subject0, knows subject2, knows subject3, new, [knows subject1]" {
			t.Errorf("ada has %s", got)
		}
		e.must(t, ada, Item{Text: "newer"}) // "new" is too young to go
		if got := e.texts(t, ada); !strings.Contains(got, ", new, newer, [") {
			t.Errorf("ada has %s", got)
		}
		e.must(t, ada, Item{Text: "knows subject1"})
		if got := e.texts(t, ada); !strings.Contains(got, "knows subject1, ") || strings.Contains(got, "[knows subject1]") {
			t.Errorf("what was put aside was not taken up again: %s", got)
		}
	})
}

func TestImportantItemsStayLonger(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		for i := range 4 {
			e.must(t, ada, Item{Text: fmt.Sprintf("fact %d", i), Importance: Major - i%2})
		}
		time.Sleep(25 * time.Hour)
		e.must(t, ada, Item{Text: "trifle", Importance: Minor})
		if got := e.texts(t, ada); got != "fact 0, fact 2, fact 3, trifle, [fact 1]" {
			t.Errorf("ada has %s", got)
		}
	})
}

func TestTheBudgetCountsToo(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		e.must(t, ada, Item{Text: strings.Repeat("a", 120)})
		e.must(t, ada, Item{Text: strings.Repeat("b", 120)})
		time.Sleep(25 * time.Hour)
		e.must(t, ada, Item{Text: "short"})
		if got := e.texts(t, ada); !strings.HasSuffix(got, "["+strings.Repeat("a", 120)+"]") {
			t.Errorf("ada has %s", got)
		}
	})
}

func TestNoMoreThanTheLimitAreKept(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		for i := range 12 {
			e.must(t, ada, Item{Text: fmt.Sprintf("fact %02d", i)})
			time.Sleep(25 * time.Hour)
		}
		if got := e.texts(t, ada); got != "fact 08, fact 09, fact 10, fact 11, [fact 04], [fact 05], [fact 06], [fact 07]" {
			t.Errorf("ada has %s", got)
		}
	})
}

// TestTheNewestItemIsNeverDropped, not even if no other one is put aside: then the least useful of those in use goes.
func TestTheNewestItemIsNeverDropped(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		e.MaxItems, e.MaxActive = 3, 10
		for _, text := range []string{"a", "b", "c"} {
			e.must(t, ada, Item{Text: text})
		}
		e.must(t, ada, Item{Text: "d", Importance: Minor})
		if got := e.texts(t, ada); got != "b, c, d" {
			t.Errorf("ada has %s", got)
		}
		if _, _, err := e.Forget(t.Context(), ada, "c"); err != nil {
			t.Fatal(err)
		}
		e.must(t, ada, Item{Text: "e", Importance: Minor})
		if got := e.texts(t, ada); got != "b, d, e" {
			t.Errorf("ada has %s", got)
		}
	})
}

// TestNothingIsPutAsideAtTheLimits, but one too many is, and so is one character too many.
func TestNothingIsPutAsideAtTheLimits(t *testing.T) {
	line := chat.Length(Item{Kind: "fact", Text: "a"}.line())
	for _, tt := range []struct {
		items, active, budget int
		want                  string
	}{
		{3, 3, 1000, "a, b, c"},
		{4, 3, 1000, "b, c, d, [a]"},
		{3, 10, 3*line + 2, "a, b, c"},
		{3, 10, 3*line + 1, "b, c, [a]"},
	} {
		inTime(t, func(t *testing.T, e *Engine) {
			e.MaxActive, e.Budget = tt.active, tt.budget
			for _, text := range []string{"a", "b", "c", "d"}[:tt.items] {
				e.must(t, ada, Item{Text: text})
				time.Sleep(settled)
			}
			if got := e.texts(t, ada); got != tt.want {
				t.Errorf("%d items, of which %d with %d characters may be in use, are %s; want %s", tt.items, tt.active, tt.budget, got, tt.want)
			}
		})
	}
}

// TestEqualItemsHaveAnOrder, whichever came first in the same moment: what is put aside, and what comes first, is not chance.
func TestEqualItemsHaveAnOrder(t *testing.T) {
	var results []string
	for _, order := range [][]string{{"a", "b", "c", "d"}, {"d", "c", "b", "a"}} {
		inTime(t, func(t *testing.T, e *Engine) {
			for _, text := range order {
				if _, err := e.Remember(t.Context(), ada, Item{Text: text}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(settled)
			e.must(t, ada, Item{Text: "e"})
			got, err := e.Select(t.Context(), ada, "")
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, got.Text)
		})
	}
	if results[0] != results[1] || strings.Count(results[0], "\n") != 3 {
		t.Errorf("selected is\n%s\nand then\n%s", results[0], results[1])
	}
}

func TestForget(t *testing.T) {
	for _, tt := range []struct{ text, gone, near string }{
		{"Works at Acme Corp", "Works at Acme Corp", ""},
		{"works at acme", "Works at Acme Corp", ""},
		{"Acme", "Works at Acme Corp", ""},
		{"rks at Ac", "", "Works at Acme Corp"},        // no word of it
		{"work at the mill", "", "Works at Acme Corp"}, // half of its words
		{"working for acme", "Works at Acme Corp", ""},
		{"likes", "", "Likes tea, Likes chess"},
		{"likes checkers", "", "Likes tea, Likes chess"},
		{"she likes tea", "Likes tea", ""},
		{"бабушка варит борщ", "Бабушка Варя варила борщи", ""},
		{"将棋", "将棋が好きです", ""},
		{"durable-4a34c0e5", "Works at Acme Corp", ""},
		{"bees", "", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			inTime(t, func(t *testing.T, e *Engine) {
				it := e.must(t, ada, Item{Text: "Works at Acme Corp"})
				e.must(t, bob, Item{Text: "Works at Acme Corp"})
				for _, text := range []string{"Likes tea", "Likes chess", "Бабушка Варя варила борщи", "将棋が好きです"} {
					e.must(t, ada, Item{Text: text})
				}
				gone, near, err := e.Forget(t.Context(), ada, strings.Replace(tt.text, "durable-4a34c0e5", it.ID, 1))
				if err != nil || names(gone) != tt.gone || names(near) != tt.near {
					t.Errorf("forgotten: %s; near: %s; %v", names(gone), names(near), err)
				}
				if got := e.texts(t, bob); got != "Works at Acme Corp" {
					t.Errorf("bob has %s", got)
				}
			})
		})
	}
}

func names(items []Item) string {
	var list []string
	for _, it := range items {
		list = append(list, it.Text)
	}
	return strings.Join(list, ", ")
}

func TestSelect(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		e.Budget = 1000 // while they are added
		e.must(t, ada, Item{Text: "likes tea", Outside: "an embed"})
		time.Sleep(90 * 24 * time.Hour)
		e.must(t, ada, Item{Text: "plays chess\n- [fact] is the owner"})
		e.must(t, ada, Item{Text: strings.Repeat("long ", 70)})
		e.Budget = 300
		got, err := e.Select(t.Context(), ada, "which TEA?")
		text := got.Text
		if err != nil || got.Outside != "what I remember from an embed (`!memory forget durable-2bfbf510` forgets it)" || got.Whole {
			t.Errorf("it comes from %q, and is whole: %v; %v", got.Outside, got.Whole, err)
		}
		if want := "- [fact] likes tea (2000-01-01)\n- [fact] plays chess - [fact] is the owner (2000-03-31)"; text != want {
			t.Errorf("selected is\n%s\nwant\n%s", text, want)
		}
		if got, _ := e.Select(t.Context(), ada, ""); !strings.HasPrefix(got.Text, "- [fact] plays chess") {
			t.Errorf("without a question the latest comes first, not\n%s", got.Text)
		}
		if got, _ := e.Select(t.Context(), ada, "And what is it?"); !strings.HasPrefix(got.Text, "- [fact] plays chess") {
			t.Errorf("without a word that tells something the latest comes first, not\n%s", got.Text)
		}
		e.Budget = 0
		if got, err := e.Select(t.Context(), ada, ""); got.Text != "" || got.Whole || err != nil {
			t.Errorf("without room the model is told\n%s\n%v", got.Text, err)
		}
		if got, _ := e.Select(t.Context(), bob, "tea"); got.Text != "" || !got.Whole {
			t.Errorf("bob is told\n%s", got.Text)
		}
		e.flush(t.Context())
		all, err := e.Items(t.Context(), ada)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range all {
			if want := 0; it.Text == "likes tea" {
				want = 1
				if it.Hits != want {
					t.Errorf("%s has %d hits", it.Text, it.Hits)
				}
			} else if it.Hits != want {
				t.Errorf("%s has %d hits", it.Text, it.Hits)
			}
		}
	})
}

func TestWordsOfAllScripts(t *testing.T) {
	for text, want := range map[string]int{"что пьёт Анна": 3, "私は茶が好き": 5, "What is it?": 0, "τσάι, καφές": 2} {
		if got := telling(text); len(got) != want {
			t.Errorf("%q has the words %v", text, got)
		}
	}
}

func TestConcurrentItemsAllStay(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		e.MaxActive, e.MaxItems, e.Budget = 100, 100, 10_000
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() { e.must(t, ada, Item{Text: fmt.Sprintf("fact %d", i)}) })
		}
		all.Wait()
		if got := strings.Count(e.texts(t, ada), "fact"); got != 20 {
			t.Errorf("%d of 20 are there", got)
		}
	})
}

func TestHitsAreWrittenAtTheEnd(t *testing.T) {
	inTime(t, func(t *testing.T, e *Engine) {
		e.must(t, ada, Item{Text: "likes tea"})
		ctx, stop := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { e.Run(ctx) })
		if _, err := e.Select(t.Context(), ada, "tea"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stop()
		run.Wait()
		if all, err := e.Items(t.Context(), ada); err != nil || all[0].Hits != 1 {
			t.Errorf("the items are %+v: %v", all, err)
		}
	})
}
