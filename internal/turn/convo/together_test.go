package convo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/convo"
)

// message is work that is batched with other messages of its author. Its ID is its text;
// a turn is recorded with the last one's in front: "b (a b)".
func (d *diary) message(author, id, text string) convo.Work {
	w := d.work("10", id, id)
	w.Joins, w.Items = author, []any{text}
	w.Run = func(ctx context.Context, items []any) {
		var texts []string
		for _, text := range items {
			texts = append(texts, text.(string))
		}
		d.work("10", id, id+" ("+strings.Join(texts, " ")+")").Run(ctx, nil)
	}
	return w
}

func TestQueuedMessagesOfOneAuthorShareATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(d.message("ada", "a", "a"))
		synctest.Wait()
		for _, w := range []convo.Work{
			d.message("ada", "b", "b"), d.message("ada", "c", "c"), // one batch
			d.message("ben", "d", "d"), // another author
			d.message("ada", "e", "e"),
			d.work("10", "reaction", "reaction"), // not a message
			d.message("ada", "f", "f"), d.message("ada", "g", "g"),
		} {
			c.Add(w)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		d.require(t,
			"begin a (a)", "end a (a)",
			"begin c (b c)", "end c (b c)",
			"begin d (d)", "end d (d)",
			"begin e (e)", "end e (e)",
			"begin reaction", "end reaction",
			"begin g (f g)", "end g (f g)",
		)
	})
}

func TestWorkOfABatchIsReplacedByID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{})
		c.Add(d.message("ada", "a", "a"))
		synctest.Wait()
		for _, id := range []string{"b", "c", "d", "e"} {
			c.Add(d.message("ada", id, id))
		}
		if !c.Replace(d.message("ada", "c", "C")) || !c.Withdraw(chat.Place{Channel: "10", Message: "e"}) {
			t.Error("a waiting message was not changed")
		}
		time.Sleep(1100 * time.Millisecond)
		if c.Replace(d.message("ada", "b", "too late")) || c.Withdraw(chat.Place{Channel: "10", Message: "b"}) {
			t.Error("a message whose turn has begun was changed")
		}
		if n := c.CancelAll(errors.New("")); n != 1 {
			t.Errorf("%d turns run, want 1", n)
		}
		synctest.Wait()
		d.require(t, "begin a (a)", "end a (a)", "begin d (b C d)", " d (b C d)")
	})
}

func TestEachIDOfABatchCancelsTheTurn(t *testing.T) {
	for _, id := range []string{"b", "c", "d"} {
		synctest.Test(t, func(t *testing.T) {
			var d diary
			c := convo.New(convo.Options{Wait: time.Second})
			for _, id := range []string{"b", "c", "d"} {
				c.Add(d.message("ada", id, id))
			}
			time.Sleep(1500 * time.Millisecond)
			if !c.Cancel(id, errors.New("stopped")) {
				t.Errorf("%s does not cancel the turn", id)
			}
			synctest.Wait()
			d.require(t, "begin d (b c d)", "stopped d (b c d)")
		})
	}
}

func TestATurnHasTenMessagesAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{Wait: time.Second})
		for _, id := range strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12") {
			c.Add(d.message("ada", id, id))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		d.require(t, "begin 10 (1 2 3 4 5 6 7 8 9 10)", "end 10 (1 2 3 4 5 6 7 8 9 10)", "begin 12 (11 12)", "end 12 (11 12)")
	})
}

func TestAnIdleConversationWaitsForMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{Wait: 3 * time.Second})
		c.Add(d.message("ada", "a", "a"))
		time.Sleep(2 * time.Second)
		c.Add(d.message("ada", "b", "b")) // does not prolong it
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		d.require(t)
		time.Sleep(time.Millisecond)
		synctest.Wait()
		d.require(t, "begin b (a b)")
		c.Add(d.message("ada", "c", "c")) // waits for the turn that runs, and no longer
		time.Sleep(time.Second)
		synctest.Wait()
		d.require(t, "begin b (a b)", "end b (a b)", "begin c (c)")
		time.Sleep(time.Second)
	})
}

func TestWorkWithoutJoinsDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{Wait: 3 * time.Second})
		c.Add(d.work("10", "reaction", "reaction"))
		synctest.Wait()
		d.require(t, "begin reaction")
		time.Sleep(time.Second)
	})
}

func TestCloseEndsAWaitForMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		c := convo.New(convo.Options{Wait: 10 * time.Second})
		c.Add(d.message("ada", "a", "a"))
		synctest.Wait()
		began := time.Now()
		if err := c.Close(t.Context(), errors.New("leaving")); err != nil || time.Since(began) > 0 {
			t.Errorf("Close = %v after %v", err, time.Since(began))
		}
		d.require(t, "begin a (a)", "leaving a (a)")
	})
}
