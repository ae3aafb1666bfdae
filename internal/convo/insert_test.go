package convo_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/convo"
)

// TestWhatIsInsertedComesBeforeWhatWaits, and only in its own conversation.
func TestWhatIsInsertedComesBeforeWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(convo.Work{ID: "look", Channel: "10", Apart: true, Run: func(context.Context, []chat.Message) {
			time.Sleep(time.Second)
			c.Insert("10", d.work("10", "a", "a"), d.work("10", "b", "b"))
			c.Insert("10")
		}})
		c.Add(d.work("10", "c", "c"))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		d.require(t, "begin a", "end a", "begin b", "end b", "begin c", "end c")
		if err := c.Close(t.Context(), errors.New("over")); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsApartIsNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		apart := d.work("10", "look", "look")
		apart.Apart = true
		c.Add(apart)
		c.Add(d.work("20", "a", "a"))
		synctest.Wait()
		if running, waiting := c.Count(); running != 1 || waiting != 0 {
			t.Errorf("%d run, %d wait", running, waiting)
		}
		if n := c.CancelAll(errors.New("stopped")); n != 1 {
			t.Errorf("%d stopped", n)
		}
		time.Sleep(2 * time.Second)
		if err := c.Close(t.Context(), errors.New("over")); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := d.count("end look"); got != 1 {
			t.Errorf("what is apart was ended early: %q", d.entries)
		}
	})
}

func (d *diary) count(entry string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.entries {
		if e == entry {
			n++
		}
	}
	return n
}
