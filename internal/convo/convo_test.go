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
	"discoclaw/internal/convo"
)

func message(channel, id, text string) chat.Message {
	return chat.Message{
		ID:    chat.MessageID(id),
		Place: chat.Place{Guild: "1", Channel: chat.ChannelID(channel), Message: chat.MessageID(id)},
		Text:  text,
	}
}

// diary writes down when turns begin and end. A turn lasts a second.
type diary struct {
	mu      sync.Mutex
	entries []string
}

func (d *diary) write(entry string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, entry)
}

func (d *diary) run(ctx context.Context, m chat.Message) {
	d.write("begin " + m.Text)
	select {
	case <-time.After(time.Second):
		d.write("end " + m.Text)
	case <-ctx.Done():
		d.write(context.Cause(ctx).Error() + " " + m.Text)
	}
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
		c := convo.New(d.run)
		began := time.Now()
		for _, text := range []string{"a", "b", "c"} {
			c.Add(message("10", text, text))
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
		c := convo.New(d.run)
		c.Add(message("10", "1", "x"))
		synctest.Wait()
		c.Add(message("20", "2", "y"))
		synctest.Wait()
		d.require(t, "begin x", "begin y")
		time.Sleep(time.Second)
		synctest.Wait()
	})
}

func TestAWaitingMessageCanBeReplacedOrWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(d.run)
		for _, text := range []string{"a", "b", "c"} {
			c.Add(message("10", text, text))
		}
		synctest.Wait()
		if c.Replace(message("10", "a", "too late")) || c.Withdraw(message("10", "a", "").Place) {
			t.Error("the running message was still changed")
		}
		if !c.Replace(message("10", "b", "better")) || !c.Withdraw(message("10", "c", "").Place) {
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
		c := convo.New(d.run)
		c.Add(message("10", "a", "a"))
		c.Add(message("10", "b", "b"))
		c.Add(message("20", "z", "z"))
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

func TestCloseEndsWhatRunsAndWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(d.run)
		c.Add(message("10", "a", "a"))
		c.Add(message("10", "b", "b"))
		synctest.Wait()
		if err := c.Close(t.Context(), errors.New("leaving")); err != nil {
			t.Error(err)
		}
		d.require(t, "begin a", "leaving a", "begin b", "leaving b")
		c.Add(message("10", "c", "c"))
		synctest.Wait()
		d.require(t, "begin a", "leaving a", "begin b", "leaving b", "begin c", "leaving c")
	})
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stubborn := func(context.Context, chat.Message) { time.Sleep(time.Minute) }
		c := convo.New(stubborn)
		c.Add(message("10", "a", "a"))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := c.Close(ctx, errors.New("leaving")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close = %v", err)
		}
		time.Sleep(time.Minute)
	})
}
