package convo_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/turn/convo"
)

// TestLateWorkGoesAfterLiveWork, also if it was queued first; but a running turn is not interrupted.
func TestLateWorkGoesAfterLiveWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		late := func(name string) convo.Work {
			w := d.work("10", name, name)
			w.Late = true
			return w
		}
		c.Add(late("a"))
		synctest.Wait()
		c.Add(late("b"))
		c.Add(late("c"))
		c.Add(d.work("10", "d", "d"))
		c.Add(late("e"))
		c.Add(d.work("10", "f", "f"))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		d.require(t, "begin a", "end a", "begin d", "end d", "begin f", "end f", "begin b", "end b", "begin c", "end c", "begin e", "end e")
		if err := c.Close(t.Context(), errors.New("over")); err != nil {
			t.Error(err)
		}
	})
}

// TestWorkAheadGoesBeforeAllOther that waits.
func TestWorkAheadGoesBeforeAllOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(d.work("10", "a", "a"))
		synctest.Wait()
		if c.Waits("10") {
			t.Error("work waits that runs")
		}
		c.Add(d.work("10", "b", "b"))
		ahead := d.work("10", "c", "c")
		ahead.Ahead = true
		c.Add(ahead)
		if !c.Waits("10") || c.Waits("20") {
			t.Error("work that waits is not seen")
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		d.require(t, "begin a", "end a", "begin c", "end c", "begin b", "end b")
	})
}

func TestWorkApartIsNotCountedAsATurn(t *testing.T) {
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
			t.Errorf("work apart was cancelled: %q", d.entries)
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
