package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/store"
)

// open opens the inbox of a data directory, as a process does at its start.
func open(t *testing.T, dir string) *inbox.Inbox {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(dir, store.FileName))
	do(t, err)
	t.Cleanup(func() { _ = db.Close() })
	b := inbox.New(db)
	do(t, b.Recall(t.Context()))
	return b
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func begin(t *testing.T, b *inbox.Inbox, turn chat.TurnID, ids ...inbox.EventID) (ours bool) {
	t.Helper()
	do(t, b.Tx(t.Context(), func(tx *store.Tx) (err error) {
		ours, err = b.Begin(t.Context(), tx, turn, ids...)
		return err
	}))
	return ours
}

func settle(ctx context.Context, b *inbox.Inbox, s inbox.State, ids ...inbox.EventID) error {
	return b.Tx(ctx, func(tx *store.Tx) error { return b.Settle(ctx, tx, s, ids...) })
}

func message(id string) inbox.Event {
	at := chat.Place{Guild: "1", Channel: "2", Message: chat.MessageID(id)}
	return inbox.Event{ID: inbox.EventID(id), Kind: inbox.Message, Place: at, Turn: chat.TurnID("turn-" + id), Body: []byte(`{"ID":"` + id + `"}`)}
}

func accept(t *testing.T, b *inbox.Inbox, e inbox.Event) bool {
	t.Helper()
	fresh, err := b.Accept(t.Context(), e)
	do(t, err)
	return fresh
}

// left formats the unfinished events: ID, state, turn and attempts of each.
func left(t *testing.T, b *inbox.Inbox) string {
	t.Helper()
	list, err := b.Unfinished(t.Context())
	do(t, err)
	var parts []string
	for _, e := range list {
		parts = append(parts, fmt.Sprintf("%s %s %s %d", e.ID, e.State, e.Turn, e.Attempts))
	}
	return strings.Join(parts, "; ")
}

func TestAnEventIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	if !accept(t, b, message("10")) || accept(t, b, message("10")) {
		t.Error("an event that was sent twice is not accepted once")
	}
	begin(t, b, "turn-10", "10")
	do(t, settle(t.Context(), b, inbox.Answered, "10"))
	for _, b := range []*inbox.Inbox{b, open(t, dir)} {
		if accept(t, b, message("10")) {
			t.Error("an answered event is accepted again")
		}
		if got := left(t, b); got != "" {
			t.Error(got)
		}
	}
}

func TestUnfinishedEventsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	for _, id := range []string{"10", "11", "12", "13", "14"} {
		accept(t, b, message(id))
	}
	begin(t, b, "turn-11", "10", "11")
	begin(t, b, "turn-12", "12")
	do(t, b.Requeue(t.Context(), "12"))
	do(t, settle(t.Context(), b, inbox.Failed, "13"))
	changed := message("14")
	changed.Body = []byte(`{"ID":"changed"}`)
	do(t, b.UpdateBody(t.Context(), changed))
	b = open(t, dir)
	if got, want := left(t, b), "10 running turn-11 1; 11 running turn-11 1; 12 received turn-12 0; 14 received turn-14 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	list, err := b.Unfinished(t.Context())
	do(t, err)
	if e := list[2]; !e.Begun || string(list[3].Body) != `{"ID":"changed"}` || list[3].Begun {
		t.Errorf("%+v", list)
	}
	do(t, b.Withdraw(t.Context(), chat.Place{Channel: "2", Message: "14"}))
	do(t, b.Withdraw(t.Context(), chat.Place{Channel: "2", Message: "10"})) // it is running
	do(t, settle(t.Context(), b, inbox.Answered, "10", "11"))
	for _, id := range []inbox.EventID{"10", "99"} {
		if begin(t, b, "turn-11", id) {
			t.Errorf("%s begins, which is settled or was never accepted", id)
		}
	}
	if got, want := left(t, b), "12 received turn-12 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRepeatsAreToldFromReplays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, n := t.TempDir(), 0
		react := func(b *inbox.Inbox, repeat bool) bool {
			n++
			return accept(t, b, inbox.Event{ID: inbox.EventID(fmt.Sprint("act/", n)), DedupeKey: "act", Repeat: repeat, Kind: inbox.Reaction})
		}
		b := open(t, dir)
		if !react(b, false) || react(b, false) {
			t.Error("while the first is unfinished, the second is not a duplicate")
		}
		do(t, settle(t.Context(), b, inbox.Answered, "act/1"))
		if !react(b, false) {
			t.Error("when the first is settled, the second is a duplicate")
		}
		do(t, settle(t.Context(), b, inbox.Answered, "act/3"))
		time.Sleep(time.Second)
		b = open(t, dir)
		if react(b, false) {
			t.Error("right after the start it is not taken for a replay")
		}
		if !react(b, true) {
			t.Error("a certain repeat is taken for a replay")
		}
		do(t, settle(t.Context(), b, inbox.Answered, "act/5"))
		b = open(t, dir)
		time.Sleep(2 * time.Minute)
		if !react(b, false) {
			t.Error("long after the start it is taken for a replay")
		}
	})
}

// TestReplaysAreDedupedAfterTheClockWasSetBack: they were accepted at a time in the future.
func TestReplaysAreDedupedAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reaction := inbox.Event{ID: "act/1", DedupeKey: "act", Kind: inbox.Reaction}
	// A bubble begins in the year 2000; so its clock is the one that was set back.
	b := open(t, dir)
	accept(t, b, reaction)
	do(t, settle(t.Context(), b, inbox.Answered, "act/1"))
	synctest.Test(t, func(t *testing.T) {
		reaction.ID = "act/2"
		if accept(t, open(t, dir), reaction) {
			t.Error("a replay is accepted")
		}
	})
}

func TestEventsAreDroppedAfterTheirRetention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		do(t, err)
		defer db.Close()
		b := inbox.New(db)
		accept(t, b, message("10"))
		time.Sleep(inbox.Retention)
		accept(t, b, message("11"))
		time.Sleep(time.Second)
		do(t, db.Prune(t.Context()))
		if !accept(t, b, message("10")) || accept(t, b, message("11")) {
			t.Error("the wrong event was dropped")
		}
	})
}

// TestADeferredRunIsKeptUntilItIsSettled: it is accepted in the transaction that removes it from
// another table, and its requester is told, however late.
func TestADeferredRunIsKeptUntilItIsSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		do(t, err)
		defer db.Close()
		b := inbox.New(db)
		enter := func(fault error) error {
			return db.Tx(t.Context(), func(tx *store.Tx) error {
				return errors.Join(b.Entry(inbox.Event{ID: "defer-1", Kind: inbox.Deferred, Turn: "turn"})(t.Context(), tx), fault)
			})
		}
		if err := enter(errors.New("broken")); err == nil || left(t, b) != "" {
			t.Errorf("%v; %q was accepted, though the transaction failed", err, left(t, b))
		}
		do(t, enter(nil))
		begin(t, b, "turn", "defer-1")
		time.Sleep(2 * inbox.Retention)
		do(t, db.Prune(t.Context()))
		if got := left(t, b); got != "defer-1 running turn 1" {
			t.Errorf("left is %q", got)
		}
		do(t, settle(t.Context(), b, inbox.Answered, "defer-1"))
		do(t, db.Prune(t.Context()))
		var rows int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM inbox").Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d are kept for ever, %v", rows, err)
		}
	})
}

// TestARequeuedEventIsResumedOrCancelled, but never both.
func TestARequeuedEventIsResumedOrCancelled(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	for _, id := range []inbox.EventID{"goes-on", "cancelled"} {
		e := message(string(id))
		e.Kind = inbox.Deferred
		accept(t, b, e)
		begin(t, b, e.Turn, id)
	}
	cancels := func(state string, id inbox.EventID, want bool) {
		t.Helper()
		if got, err := b.Cancel(t.Context(), id); got != want || err != nil {
			t.Errorf("cancel an event that %s: %v, %v", state, got, err)
		}
	}
	cancels("runs", "goes-on", false)
	do(t, b.Requeue(t.Context(), "goes-on", "cancelled"))
	if list, err := b.Waiting(t.Context(), inbox.Deferred); err != nil || len(list) != 2 || !list[0].Begun {
		t.Errorf("%v wait, %v", list, err)
	}
	if !begin(t, b, "turn-goes-on", "goes-on") {
		t.Error("a requeued event does not begin")
	}
	cancels("goes on", "goes-on", false)
	cancels("was requeued", "cancelled", true)
	if begin(t, b, "turn-cancelled", "cancelled") {
		t.Error("a cancelled event begins")
	}
	cancels("was cancelled", "cancelled", false)
	if got := left(t, b); got != "goes-on running turn-goes-on 1" {
		t.Errorf("left: %s", got)
	}
}

// TestRequeuingDoesNotCountTheAttempt, however often it is repeated.
func TestRequeuingDoesNotCountTheAttempt(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	accept(t, b, message("10"))
	begin(t, b, "turn-10", "10") // as if the process had ended
	for range 4 {
		begin(t, b, "turn-10", "10")
		do(t, b.Requeue(t.Context(), "10"))
		do(t, b.Requeue(t.Context(), "10"))
	}
	if got := left(t, b); got != "10 received turn-10 1" {
		t.Errorf("there is left %s", got)
	}
}

// TestJoinedEventsWaitForOneTurn, without counting the attempts of the turns before. All of them join, or none.
func TestJoinedEventsWaitForOneTurn(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	for _, id := range []string{"10", "11", "12"} {
		accept(t, b, message(id))
	}
	join := func(turn chat.TurnID, ids ...inbox.EventID) error {
		return b.Tx(t.Context(), func(tx *store.Tx) error { return b.Join(t.Context(), tx, turn, ids...) })
	}
	begin(t, b, "turn-10", "10")
	do(t, join("turn-11", "10", "11"))
	begin(t, b, "turn-11", "10", "11")
	do(t, settle(t.Context(), b, inbox.Failed, "12"))
	if err := join("turn-12", "10", "11", "12"); err == nil {
		t.Error("an event joins that is settled")
	}
	if got := left(t, b); got != "10 running turn-11 1; 11 running turn-11 1" {
		t.Errorf("there is left %s", got)
	}
	list, err := b.Unfinished(t.Context())
	if do(t, err); !list[0].Begun || !list[1].Begun {
		t.Errorf("they would be resumed each by itself: %+v", list)
	}
}

func TestTheWholePlaceIsKept(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	e := message("10")
	e.Place.Parent = "7"
	accept(t, b, e)
	list, err := b.Unfinished(t.Context())
	if do(t, err); len(list) != 1 || list[0].Place != e.Place {
		t.Errorf("%+v", list)
	}
}

func TestMoreEventsAreSettledThanFitIntoOneStatement(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	accept(t, b, message("10"))
	ids := []inbox.EventID{"10"}
	for n := range 40_000 {
		ids = append(ids, inbox.EventID(fmt.Sprint(1_000_000+n)))
	}
	do(t, settle(t.Context(), b, inbox.Answered, ids...))
	if got := left(t, b); got != "" {
		t.Errorf("there is left %s", got)
	}
}

func TestAClosedDatabaseIsAnError(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	do(t, err)
	do(t, db.Close())
	b := inbox.New(db)
	if fresh, err := b.Accept(t.Context(), message("10")); fresh || err == nil || !strings.Contains(err.Error(), "accept message 10") {
		t.Errorf("%v, %v", fresh, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b.Run(ended, func(err error) { t.Error(err) })
}

// TestAFollowingEventIsAcceptedOnce, and waits like any other.
func TestAFollowingEventIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	e := message("7")
	e.ID, e.Kind = "continue-turn-7", inbox.Continuation
	for range 2 {
		do(t, b.Tx(t.Context(), func(tx *store.Tx) error { return b.Follow(t.Context(), tx, e) }))
	}
	waiting, err := b.Waiting(t.Context(), inbox.Continuation)
	do(t, err)
	if len(waiting) != 1 || waiting[0].Turn != e.Turn || waiting[0].Begun {
		t.Errorf("waiting: %+v", waiting)
	}
	for id, want := range map[inbox.EventID]bool{e.ID: true, "7": false} {
		if has, err := b.Has(t.Context(), id); err != nil || has != want {
			t.Errorf("Has(%s) = %v, %v", id, has, err)
		}
	}
}
