package convo_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/convo"
)

// diary records when turns begin and end. A turn lasts a second.
type diary struct {
	mu      sync.Mutex
	entries []string
}

func (d *diary) write(entry string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, entry)
}

// work is about the message with its ID.
func (d *diary) work(channel, id, text string) convo.Work {
	return convo.Work{ID: id, Channel: chat.ChannelID(channel), Message: chat.MessageID(id), Run: func(ctx context.Context, _ []any) {
		d.write("begin " + text)
		select {
		case <-time.After(time.Second):
			d.write("end " + text)
		case <-ctx.Done():
			d.write(context.Cause(ctx).Error() + " " + text)
		}
	}}
}

func (d *diary) require(t *testing.T, want ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.entries, want) {
		t.Errorf("diary:\n%q, want\n%q", d.entries, want)
	}
}

func TestOneTurnAtATimeInAConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		began := time.Now()
		for _, text := range []string{"a", "b", "c"} {
			c.Add(d.work("10", text, text))
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		d.require(t, "begin a", "end a", "begin b", "end b", "begin c", "end c")
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("three turns took %v", took)
		}
	})
}

func TestConversationsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(d.work("10", "1", "x"))
		synctest.Wait()
		c.Add(d.work("20", "2", "y"))
		synctest.Wait()
		d.require(t, "begin x", "begin y")
		time.Sleep(time.Second)
		synctest.Wait()
	})
}

func TestAWaitingMessageCanBeReplacedOrWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		for _, text := range []string{"a", "b", "c"} {
			c.Add(d.work("10", text, text))
		}
		synctest.Wait()
		if c.Replace(d.work("10", "a", "too late")) || c.Withdraw(chat.Place{Channel: "10", Message: "a"}) {
			t.Error("the running message was still changed")
		}
		if !c.Replace(d.work("10", "b", "better")) || !c.Withdraw(chat.Place{Channel: "10", Message: "c"}) {
			t.Error("a waiting message was not changed")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		d.require(t, "begin a", "end a", "begin better", "end better")
	})
}

func TestCancelEndsOneTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(d.work("10", "a", "a"))
		c.Add(d.work("10", "b", "b"))
		c.Add(d.work("20", "z", "z"))
		time.Sleep(time.Millisecond)
		if c.Cancel("b", errors.New("stopped")) {
			t.Error("a turn that has not begun was cancelled")
		}
		if !c.Cancel("a", errors.New("stopped")) {
			t.Error("the running turn was not found")
		}
		synctest.Wait()
		if c.Cancel("a", errors.New("stopped")) {
			t.Error("a turn that is over was cancelled")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		d.mu.Lock()
		slices.Sort(d.entries)
		d.mu.Unlock()
		d.require(t, "begin a", "begin b", "begin z", "end b", "end z", "stopped a")
	})
}

func TestAllWorkAboutADeletedMessageIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(d.work("10", "a", "a"))
		synctest.Wait()
		for _, id := range []string{"m", "reaction 1", "reaction 2"} {
			w := d.work("10", id, id)
			w.Message = "m"
			c.Add(w)
		}
		c.Add(d.work("10", "z", "z"))
		if !c.Withdraw(chat.Place{Channel: "10", Message: "m"}) || c.Withdraw(chat.Place{Channel: "10", Message: "m"}) {
			t.Error("the work was not withdrawn")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		d.require(t, "begin a", "end a", "begin z", "end z")
		if c.Withdraw(chat.Place{Channel: "10", Message: "z"}) {
			t.Error("work was withdrawn from an empty queue")
		}
	})
}

func TestCancelAllEndsRunningTurnsAndNotQueuedOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(d.work("10", "a", "a"))
		c.Add(d.work("10", "b", "b"))
		synctest.Wait()
		if n := c.CancelAll(errors.New("stopped")); n != 1 {
			t.Errorf("%d turns were cancelled", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		d.require(t, "begin a", "stopped a", "begin b", "end b")
		if n := c.CancelAll(errors.New("stopped")); n != 0 {
			t.Errorf("%d turns were cancelled after the last one", n)
		}
	})
}

func TestCloseEndsRunningAndQueuedTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(d.work("10", "a", "a"))
		c.Add(d.work("10", "b", "b"))
		synctest.Wait()
		if err := c.Close(t.Context(), errors.New("leaving")); err != nil {
			t.Error(err)
		}
		d.require(t, "begin a", "leaving a", "begin b", "leaving b")
		c.Add(d.work("10", "c", "c"))
		synctest.Wait()
		d.require(t, "begin a", "leaving a", "begin b", "leaving b", "begin c", "leaving c")
	})
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := convo.New(convo.Options{})
		c.Add(convo.Work{ID: "a", Channel: "10", Run: func(context.Context, []any) { time.Sleep(time.Minute) }})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := c.Close(ctx, errors.New("leaving")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close = %v", err)
		}
		time.Sleep(time.Minute)
	})
}
