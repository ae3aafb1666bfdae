package fakediscord_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"discoclaw/internal/fakediscord"
)

// TestNothingIsSeenBeforeItIsSaved has many members write at once: the events of one may be delivered by another.
func TestNothingIsSeenBeforeItIsSaved(t *testing.T) {
	t.Parallel()
	w, err := fakediscord.New("guild d: #general\nmember ada: owner")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var mu sync.Mutex
	saved, saves := "", 0
	w.Keep(func() error {
		now := w.Transcript()
		for range 1000 {
			runtime.Gosched() // others deliver events meanwhile
		}
		mu.Lock()
		defer mu.Unlock()
		saved, saves = now, saves+1
		return nil
	})
	isSaved := func(text string) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(saved, text)
	}
	events := 0
	w.Watch(func(e fakediscord.Event) {
		var m struct{ Content string }
		if json.Unmarshal(e.Data, &m) != nil || m.Content == "" {
			return
		}
		events++ // watchers are called one after the other
		if !isSaved(m.Content) {
			t.Errorf("the event of %q came before it was saved", m.Content)
		}
	})
	var all sync.WaitGroup
	const writers = 50
	for n := range writers {
		all.Go(func() {
			text := fmt.Sprintf("message %d.", n)
			if _, err := w.Say("ada", "general", text); err != nil || !isSaved(text) {
				t.Errorf("%q returned before it was saved, or %v", text, err)
			}
		})
	}
	all.Wait()
	if events != writers || saves > writers {
		t.Errorf("%d events and %d saves of %d messages", events, saves, writers)
	}
}

func TestAFailedSaveIsTriedAgain(t *testing.T) {
	t.Parallel()
	w, err := fakediscord.New("guild d: #general\nmember ada: owner")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Sync() // nothing to do
	full, saves := true, 0
	w.Keep(func() error {
		saves++
		if full {
			return errors.New("no space left on device")
		}
		return nil
	})
	if _, err := w.Say("ada", "general", "hello"); err != nil {
		t.Error(err) // the world continues
	}
	full = false
	before := saves
	w.Sync()
	w.Sync()
	if saves != before+1 {
		t.Errorf("saved %d times, and then %d times", before, saves-before)
	}
}
