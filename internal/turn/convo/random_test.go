package convo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/convo"
)

// A crowd acts at random in one conversation, and checks the turns.
type crowd struct {
	*rapid.T
	c *convo.Conversations

	mu    sync.Mutex
	next  int
	texts map[string]string // of what was added and not withdrawn, by ID
	by    map[string]string // authors by ID; empty for reactions
	order []string          // IDs in the order in which they were added
	had   []string          // those that had a turn, in order
	now   []string          // those whose turn runs
}

// work has a turn that lasts a second unless it is cancelled.
func (w *crowd) work(id, author, text string) convo.Work {
	return convo.Work{
		ID: id, Channel: "10", Message: chat.MessageID(id), Joins: author,
		Items: []any{said{id, text}},
		Run: func(ctx context.Context, items []any) {
			w.begin(id, author, items)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.now = nil
		},
	}
}

type said struct{ id, text string }

// begin checks a turn that the work of an author began.
func (w *crowd) begin(id, author string, items []any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now != nil {
		w.Errorf("a turn began while %q ran", w.now)
	}
	if last := items[len(items)-1].(said).id; last != id {
		w.Errorf("the turn of %s ends with %s", id, last)
	}
	if len(items) > 10 || author == "" && len(items) > 1 {
		w.Errorf("%d have a turn together", len(items))
	}
	for _, item := range items {
		m := item.(said)
		if m.text != w.texts[m.id] {
			w.Errorf("%s says %q, want %q", m.id, m.text, w.texts[m.id])
		}
		if by := w.by[m.id]; by != author {
			w.Errorf("%s of %q is in a turn of %q", m.id, by, author)
		}
		w.now = append(w.now, m.id)
	}
	w.had = append(w.had, w.now...)
}

// act does one random thing.
func (w *crowd) act() {
	what := rapid.SampledFrom([]func(){w.say, w.say, w.say, w.edit, w.withdraw, w.cancel}).Draw(w.T, "what")
	w.mu.Lock()
	defer w.mu.Unlock()
	what()
}

func (w *crowd) say() {
	w.next++
	id := fmt.Sprint(w.next)
	w.by[id] = rapid.SampledFrom([]string{"ada", "ada", "ben", ""}).Draw(w.T, "author")
	w.texts[id] = id
	w.order = append(w.order, id)
	w.c.Add(w.work(id, w.by[id], id))
}

// some is the ID of some work, whether its turn has ended or not.
func (w *crowd) some() string {
	if len(w.order) == 0 {
		return "nothing"
	}
	return rapid.SampledFrom(w.order[max(0, len(w.order)-5):]).Draw(w.T, "which")
}

func (w *crowd) waits(id string) bool { return w.texts[id] != "" && !slices.Contains(w.had, id) }

func (w *crowd) edit() {
	id := w.some()
	text := w.texts[id] + "!"
	if waits := w.waits(id); w.c.Replace(w.work(id, w.by[id], text)) != waits {
		w.Fatalf("%s was replaced: %v", id, !waits)
	} else if waits {
		w.texts[id] = text
	}
}

func (w *crowd) withdraw() {
	id := w.some()
	if waits := w.waits(id); w.c.Withdraw(chat.Place{Channel: "10", Message: chat.MessageID(id)}) != waits {
		w.Fatalf("%s was withdrawn: %v", id, !waits)
	} else if waits {
		delete(w.texts, id)
		w.order = slices.DeleteFunc(w.order, func(o string) bool { return o == id })
	}
}

func (w *crowd) cancel() {
	id := w.some()
	if runs := slices.Contains(w.now, id); w.c.Cancel(id, errors.New("stopped")) != runs {
		w.Fatalf("%s was stopped: %v", id, !runs)
	}
}

// TestWorkIsNeitherLostNorRunTwice: all work that was not withdrawn has its turn once,
// in order, with its latest text, and never in a batch of another author.
func TestWorkIsNeitherLostNorRunTwice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		wait := time.Duration(rapid.IntRange(0, 2).Draw(rt, "wait")) * 700 * time.Millisecond
		synctest.Test(t, func(*testing.T) {
			w := &crowd{T: rt, c: convo.New(convo.Options{Wait: wait}), texts: map[string]string{}, by: map[string]string{}}
			for range rapid.IntRange(1, 40).Draw(rt, "steps") {
				w.act()
				synctest.Wait()
				time.Sleep(time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 5, 15}).Draw(rt, "time")) * 100 * time.Millisecond)
				synctest.Wait()
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if !slices.Equal(w.had, w.order) {
				rt.Errorf("these had their turn: %q, want %q", w.had, w.order)
			}
		})
	})
}
