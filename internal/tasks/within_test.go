package tasks_test

import (
	"errors"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

var errLater = errors.New("what came after it failed")

// TestARolledBackTransactionLeavesNoTrace: not even a number that is missing later.
func TestARolledBackTransactionLeavesNoTrace(t *testing.T) {
	t.Parallel()
	e, db := open(t, tasks.Options{})
	kept := create(t, e, tasks.Task{Title: "kept"})
	err := db.Tx(t.Context(), func(tx *store.Tx) error {
		lost, err := e.CreateIn(t.Context(), tx, tasks.Task{Guild: here, Title: "lost", Labels: []string{"plan"}})
		if err != nil || lost.ID != "ws-002" {
			t.Errorf("%+v, %v", lost, err)
		}
		if _, _, err := e.UpdateIn(t.Context(), tx, here, kept.ID, tasks.Change{Status: new(tasks.Closed)}); err != nil {
			t.Error(err)
		}
		return errLater
	})
	if !errors.Is(err, errLater) {
		t.Fatal(err)
	}
	list, err := e.List(t.Context(), here, tasks.Filter{Status: tasks.All})
	if err != nil || len(list) != 1 || list[0].ID != kept.ID || list[0].Status != tasks.Open {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := e.List(t.Context(), here, tasks.Filter{Label: "plan"}); err != nil || len(list) != 0 {
		t.Errorf("by its label: %+v, %v", list, err)
	}
	if next := create(t, e, tasks.Task{Title: "next"}); next.ID != "ws-002" {
		t.Errorf("the next one is %s", next.ID)
	}
}

func TestPostsFollowATransactionAfterWake(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		var made tasks.Task
		b.must(b.db.Tx(t.Context(), func(tx *store.Tx) (err error) {
			made, err = b.CreateIn(t.Context(), tx, tasks.Task{Guild: b.GuildID(), Title: "Draw it", Labels: []string{"docs"}})
			return err
		}))
		b.Wake()
		b.soon()
		b.requireShown("🟢 [001] Draw it (docs open)")
		b.must(b.db.Tx(t.Context(), func(tx *store.Tx) error {
			before, after, err := b.UpdateIn(t.Context(), tx, b.GuildID(), "1", tasks.Change{Status: new(tasks.Closed), Reason: "drawn"})
			if before.ID != made.ID || before.Status != tasks.Open || after.Status != tasks.Closed {
				t.Errorf("%+v, %+v", before, after)
			}
			return err
		}))
		b.Wake()
		b.soon()
		b.requireShown("☑️ [001] Draw it (closed docs) archived")
		b.requireSaid(b.get(made.ID).Thread, "Closed: drawn")
	})
}

// TestErrorsInATransactionAreForPeople, as those of Create and Update are.
func TestErrorsInATransactionAreForPeople(t *testing.T) {
	t.Parallel()
	e, db := open(t, tasks.Options{})
	made := create(t, e, tasks.Task{Title: "x"})
	over := db.Tx(t.Context(), func(tx *store.Tx) error {
		if _, err := e.CreateIn(t.Context(), tx, tasks.Task{Guild: here}); err == nil || err.Error() != "a task needs a title" {
			t.Errorf("created: %v", err)
		}
		if _, _, err := e.UpdateIn(t.Context(), tx, here, made.ID, tasks.Change{Priority: new(9)}); err == nil || !strings.HasPrefix(err.Error(), "a priority is from") {
			t.Errorf("updated: %v", err)
		}
		if _, _, err := e.UpdateIn(t.Context(), tx, elsewhere, made.ID, tasks.Change{Priority: new(1)}); !errors.Is(err, tasks.ErrNotFound) {
			t.Errorf("on another server: %v", err)
		}
		if _, err := tx.ExecContext(t.Context(), "DROP TABLE task_labels"); err != nil {
			t.Error(err)
		}
		plain := store.Plain(errLater).Error()
		if _, err := e.CreateIn(t.Context(), tx, tasks.Task{Guild: here, Title: "y"}); err == nil || err.Error() != plain {
			t.Errorf("created without a table: %v", err)
		}
		if _, _, err := e.UpdateIn(t.Context(), tx, here, made.ID, tasks.Change{Priority: new(1)}); err == nil || err.Error() != plain {
			t.Errorf("updated without a table: %v", err)
		}
		if _, err := e.FindOpen(t.Context(), tx, here, "plan", "x"); err == nil || err.Error() != plain {
			t.Errorf("looked up without a table: %v", err)
		}
		return errLater
	})
	if !errors.Is(over, errLater) {
		t.Error(over)
	}
}

// TestARepeatedRequestInATransactionMakesOneTask, as it does with Create.
func TestARepeatedRequestInATransactionMakesOneTask(t *testing.T) {
	t.Parallel()
	e, db := open(t, tasks.Options{})
	first := create(t, e, tasks.Task{Title: "x", Dedupe: "request"})
	err := db.Tx(t.Context(), func(tx *store.Tx) error {
		again, err := e.CreateIn(t.Context(), tx, tasks.Task{Guild: here, Title: "x", Dedupe: "request"})
		if again.ID != first.ID {
			t.Errorf("made %s besides %s", again.ID, first.ID)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOpenTasksAreFoundByLabelAndTitle(t *testing.T) {
	t.Parallel()
	e, db := open(t, tasks.Options{})
	for _, task := range []tasks.Task{
		{Title: "Über die Brücke", Labels: []string{"plan"}},
		{Title: "No label"},
		{Title: "Other label", Labels: []string{"planned"}},
		{Title: "Over", Labels: []string{"plan"}, Status: tasks.Closed},
		{Title: "Blocked", Labels: []string{"tag:Plan"}, Status: tasks.Blocked},
		{Title: "There", Labels: []string{"plan"}, Guild: elsewhere},
	} {
		create(t, e, task)
	}
	err := db.Tx(t.Context(), func(tx *store.Tx) error {
		if _, err := e.CreateIn(t.Context(), tx, tasks.Task{Guild: here, Title: "Just now", Labels: []string{"plan"}}); err != nil {
			return err
		}
		for _, tt := range []struct {
			guild       chat.GuildID
			title, want string
		}{
			{here, "Über die Brücke", "ws-001"},
			{here, " ÜBER  die\nBRÜCKE ", "ws-001"},
			{here, "Über die", ""},
			{here, "no label", ""},
			{here, "other label", ""},
			{here, "over", ""},
			{here, "blocked", "ws-005"},
			{here, "there", ""},
			{elsewhere, "there", "ws-006"},
			{here, "just now", "ws-007"},
			{here, "", ""},
		} {
			got, err := e.FindOpen(t.Context(), tx, tt.guild, "PLAN", tt.title)
			if got.ID != tt.want || tt.want == "" && !errors.Is(err, tasks.ErrNotFound) || tt.want != "" && err != nil {
				t.Errorf("%q: %q, %v, want %q", tt.title, got.ID, err, tt.want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
