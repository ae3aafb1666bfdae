package tasks_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

const here, elsewhere = chat.GuildID("900000000000000001"), chat.GuildID("900000000000000002")

// open returns an engine over a fresh database.
func open(t testing.TB, o tasks.Options) (*tasks.Engine, *store.DB) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return tasks.New(db, o), db
}

func create(t testing.TB, e *tasks.Engine, task tasks.Task) tasks.Task {
	t.Helper()
	if task.Guild == "" {
		task.Guild = here
	}
	made, err := e.Create(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestNumbersCountUpPerPrefix(t *testing.T) {
	t.Parallel()
	ws, db := open(t, tasks.Options{})
	dev := tasks.New(db, tasks.Options{Prefix: "dev"})
	var got []string
	for _, e := range []*tasks.Engine{ws, dev, ws, ws, dev} {
		got = append(got, create(t, e, tasks.Task{Title: "x"}).ID)
	}
	if want := []string{"ws-001", "dev-001", "ws-002", "ws-003", "dev-002"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTasksAreFoundAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	e, _ := open(t, tasks.Options{})
	made := create(t, e, tasks.Task{Title: "x"})
	for _, id := range []string{"ws-001", "ws-1", "WS-1", "1", "001", " `ws-001` ", "[001]"} {
		if got, err := e.Get(t.Context(), here, id); err != nil || got.ID != made.ID {
			t.Errorf("%q: %v, %v", id, got.ID, err)
		}
	}
	for _, id := range []string{"", "2", "dev-1", "x"} {
		if got, err := e.Get(t.Context(), here, id); !errors.Is(err, tasks.ErrNotFound) {
			t.Errorf("%q: %v, %v", id, got.ID, err)
		}
	}
}

func TestNothingOfOneServerIsShownOnAnother(t *testing.T) {
	t.Parallel()
	e, _ := open(t, tasks.Options{})
	made := create(t, e, tasks.Task{Title: "x", Labels: []string{"bug"}, Owner: "1"})
	if _, err := e.Get(t.Context(), elsewhere, made.ID); !errors.Is(err, tasks.ErrNotFound) {
		t.Errorf("got it: %v", err)
	}
	if _, _, err := e.Update(t.Context(), elsewhere, made.ID, tasks.Change{Title: new("y")}); !errors.Is(err, tasks.ErrNotFound) {
		t.Errorf("changed it: %v", err)
	}
	for _, f := range []tasks.Filter{{}, {Status: tasks.All}, {Label: "bug"}, {Owner: "1"}} {
		if list, err := e.List(t.Context(), elsewhere, f); err != nil || len(list) != 0 {
			t.Errorf("%+v: %v, %v", f, list, err)
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	e, _ := open(t, tasks.Options{})
	create(t, e, tasks.Task{Title: "1", Priority: 2, Labels: []string{"tag:Bug"}})
	create(t, e, tasks.Task{Title: "2", Priority: 0, Owner: "7"})
	create(t, e, tasks.Task{Title: "3", Priority: 2, Status: tasks.InProgress, Labels: []string{"bug", "docs"}})
	create(t, e, tasks.Task{Title: "4", Priority: 1, Status: tasks.Closed, Labels: []string{"bug"}, Owner: "7"})
	create(t, e, tasks.Task{Title: "5", Priority: 3, Labels: []string{"waiting-review"}})
	for _, tt := range []struct {
		filter tasks.Filter
		want   string
	}{
		{tasks.Filter{}, "2 3 1 5"},
		{tasks.Filter{Limit: 2}, "2 3"},
		{tasks.Filter{Status: tasks.All}, "2 3 1 5 4"},
		{tasks.Filter{Status: tasks.Closed}, "4"},
		{tasks.Filter{Status: tasks.Open}, "2 1"},
		{tasks.Filter{Status: tasks.Blocked}, "5"},
		{tasks.Filter{Label: "bug"}, "3 1"},
		{tasks.Filter{Label: "label:BUG", Status: tasks.All}, "3 1 4"},
		{tasks.Filter{Label: "bug", Status: tasks.InProgress}, "3"},
		{tasks.Filter{Owner: "7"}, "2"},
		{tasks.Filter{Owner: "7", Status: tasks.All, Limit: 9}, "2 4"},
		{tasks.Filter{Owner: "7", Label: "bug", Status: tasks.Closed}, "4"},
		{tasks.Filter{Label: "nothing"}, ""},
	} {
		list, err := e.List(t.Context(), here, tt.filter)
		var got []string
		for _, task := range list {
			got = append(got, task.Title)
		}
		if strings.Join(got, " ") != tt.want || err != nil {
			t.Errorf("%+v: %v, %v, want %s", tt.filter, got, err, tt.want)
		}
	}
}

func TestWhatIsNotATaskIsRefused(t *testing.T) {
	t.Parallel()
	e, _ := open(t, tasks.Options{})
	for _, task := range []tasks.Task{
		{Title: " \n"},
		{Title: strings.Repeat("x", 201)},
		{Title: "x", Description: strings.Repeat("x", 1901)},
		{Title: "x", Priority: 5},
		{Title: "x", Priority: -1},
		{Title: "x", Status: "done"},
		{Title: "x", Labels: []string{strings.Repeat("x", 51)}},
		{Title: "x", Labels: strings.Split("a b c d e f g h i j k l m n o p q r s t u", " ")},
	} {
		if made, err := e.Create(t.Context(), task); err == nil {
			t.Errorf("%+v was made", made)
		}
	}
}

func TestReopeningForgetsTheClosing(t *testing.T) {
	t.Parallel()
	e, _ := open(t, tasks.Options{})
	made := create(t, e, tasks.Task{Title: "x"})
	closed, already, err := e.Close(t.Context(), here, made.ID, "shipped", "1", "")
	if err != nil || already || closed.Closed.IsZero() || closed.Reason != "shipped" {
		t.Fatalf("%+v, %v, %v", closed, already, err)
	}
	again, already, err := e.Close(t.Context(), here, made.ID, "other", "1", "")
	if err != nil || !already || again.Reason != "shipped" || !again.Closed.Equal(closed.Closed) {
		t.Errorf("closed again: %+v, %v, %v", again, already, err)
	}
	_, opened, err := e.Update(t.Context(), here, made.ID, tasks.Change{Status: new(tasks.Blocked)})
	if err != nil || !opened.Closed.IsZero() || opened.Reason != "" || opened.Status != tasks.Blocked {
		t.Errorf("%+v, %v", opened, err)
	}
}

func TestUpdatesChangeWhatTheyNameAlone(t *testing.T) {
	t.Parallel()
	e, _ := open(t, tasks.Options{})
	due := time.Date(2027, 5, 1, 9, 0, 0, 0, time.UTC)
	made := create(t, e, tasks.Task{Title: "x", Description: "y", Priority: 1, Labels: []string{"a"}, Owner: "1", Due: due, DueBy: "2"})
	before, after, err := e.Update(t.Context(), here, "1", tasks.Change{Priority: new(3), By: "9", Outside: "a message by <@5>"})
	want := made
	want.Priority, want.Outside, want.Updated = 3, "a message by <@5>", after.Updated
	if err != nil || fmt.Sprint(before) != fmt.Sprint(made) || fmt.Sprint(after) != fmt.Sprint(want) {
		t.Errorf("%+v, %+v, %v", before, after, err)
	}
	_, after, err = e.Update(t.Context(), here, "1", tasks.Change{Due: new(due.Add(time.Hour)), By: "9"})
	if err != nil || after.DueBy != "9" || !after.Due.Equal(due.Add(time.Hour)) {
		t.Errorf("%+v, %v", after, err)
	}
	_, after, err = e.Update(t.Context(), here, "1", tasks.Change{Due: new(time.Time{}), By: "9"})
	if err != nil || after.DueBy != "" || !after.Due.IsZero() {
		t.Errorf("%+v, %v", after, err)
	}
	before, after, err = e.Update(t.Context(), here, "1", tasks.Change{Title: new(" x ")})
	if err != nil || !before.Updated.Equal(after.Updated) {
		t.Errorf("no difference: %+v, %+v, %v", before, after, err)
	}
}

// TestANoteIsAddedOnce, also if the change is made again after a crash.
func TestANoteIsAddedOnce(t *testing.T) {
	t.Parallel()
	e, _ := open(t, tasks.Options{})
	made := create(t, e, tasks.Task{Title: "x"})
	for _, tt := range []struct{ note, want string }{{"One.", "One."}, {" Two. ", "One.\n\nTwo."}, {"Two.", "One.\n\nTwo."}, {"", "One.\n\nTwo."}} {
		if _, after, err := e.Update(t.Context(), here, made.ID, tasks.Change{Note: tt.note}); err != nil || after.Description != tt.want {
			t.Errorf("after %q: %q, %v", tt.note, after.Description, err)
		}
	}
	if _, _, err := e.Update(t.Context(), here, made.ID, tasks.Change{Note: strings.Repeat("x", tasks.MaxDescription-5)}); err == nil {
		t.Error("it became longer than a description may be")
	}
}

// TestErasingAPersonKeepsTheWork: it is the server's.
func TestErasingAPersonKeepsTheWork(t *testing.T) {
	t.Parallel()
	e, db := open(t, tasks.Options{})
	create(t, e, tasks.Task{Title: "x", Creator: "1", Owner: "2", Due: time.Unix(1800000000, 0), DueBy: "1"})
	if found, err := db.Export(t.Context(), "1"); err != nil || len(found["tasks"]) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	if n, err := db.Erase(t.Context(), "1"); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if got, err := e.Get(t.Context(), here, "1"); err != nil || got.Creator != "" || got.DueBy != "" || got.Owner != "2" || got.Title != "x" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestARepeatedRequestMakesOneTask(t *testing.T) {
	t.Parallel()
	e, _ := open(t, tasks.Options{})
	first := create(t, e, tasks.Task{Title: "x", Dedupe: "turn/1"})
	if again := create(t, e, tasks.Task{Title: "x", Dedupe: "turn/1"}); again.ID != first.ID {
		t.Errorf("%s and %s", first.ID, again.ID)
	}
	if other := create(t, e, tasks.Task{Title: "x", Dedupe: "turn/2"}); other.ID == first.ID {
		t.Error("another request made none")
	}
}
