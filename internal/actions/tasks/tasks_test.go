package tasks_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for machines that have no zones

	"discoclaw/internal/actions/actionstest/server"
	taskact "discoclaw/internal/actions/tasks"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/store"
	engine "discoclaw/internal/tasks"
)

const layout = `
guild disco: #general #secret tasks:forum
tag bug in tasks
bot DiscoClaw
member ada: owner
member bob
member cyd
deny tasks cyd: Send Messages
`

// onServer runs a test on a server, with dates in Berlin. Posts are made when they are waited for.
func onServer(t *testing.T, test func(t *testing.T, w *server.Server, e *engine.Engine)) {
	t.Helper()
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), store.FileName)
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), path)
		w.Must(err)
		t.Cleanup(func() { _ = db.Close() })
		e := engine.New(db, engine.Options{Server: w.Bot, Outbox: outbox.New(db, w.Bot, nil)})
		w.Offer(taskact.New(w.Bot, e, func(context.Context, chat.UserID) *time.Location { return berlin }, false))
		w.Asked.Place.Channel = w.ChannelID("#general")
		test(t, w, e)
	})
}

func TestFieldsAreKept(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *engine.Engine) {
		out := w.Do("bob", `{"type":"taskCreate","title":" Fix the login ","priority":0,"due":"2027-05-01","assignee":"@cyd","tags":"bug, #phone"}`)[0]
		task, err := e.Get(t.Context(), w.GuildID(), "1")
		w.Must(err)
		if want := time.Date(2027, 5, 1, 7, 0, 0, 0, time.UTC); !task.Due.Equal(want) || task.Priority != 0 || task.Owner != w.UserID("cyd") || task.Creator != w.UserID("bob") ||
			task.DueBy != w.UserID("bob") || strings.Join(task.Labels, " ") != "bug phone" || task.Thread == "" {
			t.Errorf("%+v after %s", task, out.Told())
		}
		link := chat.Place{Guild: w.GuildID(), Channel: task.Thread, Message: chat.MessageID(task.Thread)}.Link()
		w.Require("bob", `{"type":"taskShow","taskId":"ws-1"}`, "Done: task ws-001 “Fix the login”: open, priority 0 (urgent), due 2027-05-01 09:00, for <@{cyd}>, tags: bug, phone, <#"+string(task.Thread)+">\nopened "+
			task.Created.In(mustBerlin(t)).Format("2006-01-02 15:04")+" by <@{bob}>")
		w.RequirePart("bob", `{"type":"taskUpdate","taskId":"ws-1","due":"2027-05-02T18:00+02:00"}`, "Done: changed [“Fix the login”]("+link+"): due <t:1809273600:f>")
		w.Require("bob", `{"type":"taskUpdate","taskId":"ws-1","priority":0}`, "Done: nothing to change: [“Fix the login”]("+link+") is like that already (ws-001)")
		w.RequirePart("bob", `{"type":"taskUpdate","taskId":"ws-1","status":"closed","description":"x"}`, "): new description")
		w.RequirePart("bob", `{"type":"taskUpdate","taskId":"ws-1","status":"in_progress","description":""}`, "): no description, now in progress")
	})
}

func mustBerlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestItRefuses(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *engine.Engine) {
		w.Run("ada", `{"type":"taskCreate","title":"x"}`)
		for _, tt := range []struct{ name, who, request, want string }{
			{"no title", "ada", `{"type":"taskCreate"}`, "taskCreate: title: missing"},
			{"too urgent", "ada", `{"type":"taskCreate","title":"x","priority":-1}`, "taskCreate: priority: -1 is not 0 to 4"},
			{"no date", "ada", `{"type":"taskCreate","title":"x","due":"soon"}`, `taskCreate: I can't read "soon" as a date`},
			{"nobody there", "ada", `{"type":"taskCreate","title":"x","assignee":"123456789012345678"}`, "taskCreate: I could not open the task “x”: <@123456789012345678> is not a member of this server"},
			{"no change", "ada", `{"type":"taskUpdate","taskId":"1"}`, "taskUpdate: say what to change"},
			{"no status", "ada", `{"type":"taskUpdate","taskId":"1","status":"done"}`, `taskUpdate: status: "done" is not`},
			{"unknown", "ada", `{"type":"taskClose","taskId":"ws-99"}`, "taskClose: there is no task `ws-99` here"},
			{"unknown to look at", "ada", `{"type":"taskShow","taskId":"dev-1"}`, "taskShow: there is no task `dev-1` here"},
			{"no status to list", "ada", `{"type":"taskList","status":"done"}`, `taskList: I don't know the status "done"`},
			{"without the right", "cyd", `{"type":"taskClose","taskId":"1"}`, "taskClose: you need *Send Messages* in <#{tasks}> for that"},
			{"without a requester", "", `{"type":"taskList"}`, "taskList: nobody is known to have asked for this"},
		} {
			if got, want := w.Run(tt.who, tt.request)[0], "Failed: "+w.WithIDs(tt.want); !strings.HasPrefix(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
			}
		}
		if list, err := e.List(t.Context(), w.GuildID(), engine.Filter{Status: engine.All}); err != nil || len(list) != 1 || list[0].Status != engine.Open {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

func TestAnEmptyListSaysWhatThereIsNotAnyOf(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, _ *engine.Engine) {
		for request, want := range map[string]string{
			`{"type":"taskList"}`:                            "Done: there are no open tasks",
			`{"type":"taskList","limit":3}`:                  "Done: there are no open tasks",
			`{"type":"taskList","status":"all"}`:             "Done: there are no tasks",
			`{"type":"taskList","tag":"bug"}`:                "Done: there are no tasks like that",
			`{"type":"taskList","assignee":"bob"}`:           "Done: there are no tasks like that",
			`{"type":"taskList","status":"closed"}`:          "Done: there are no tasks like that",
			`{"type":"taskList","status":"all","tag":"bug"}`: "Done: there are no tasks like that",
			`{"type":"taskList","due":"2027-05-01"}`:         "Done: there are no tasks like that",
		} {
			w.Require("cyd", request, want)
		}
	})
}

func TestListsAreFiltered(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, _ *engine.Engine) {
		w.Run("ada", `{"type":"taskCreate","title":"a","due":"2027-05-01"}`, `{"type":"taskCreate","title":"b","assignee":"bob","tags":["bug"]}`, `{"type":"taskCreate","title":"c","due":"2027-05-02","assignee":"bob"}`, `{"type":"taskClose","taskId":"2"}`)
		for request, want := range map[string]string{
			`{}`:                               "c a",
			`{"status":"all"}`:                 "c a b",
			`{"status":"closed"}`:              "b",
			`{"assignee":"bob"}`:               "c",
			`{"tag":"bug","status":"all"}`:     "b",
			`{"due":"2027-05-01"}`:             "a",
			`{"due":"2027-05-01T08:00+02:00"}`: "",
			`{"limit":1}`:                      "c …",
		} {
			var got []string
			for line := range strings.Lines(w.Run("cyd", strings.Replace(strings.Replace(request, "{", `{"type":"taskList",`, 1), ",}", "}", 1))[0]) {
				if _, rest, ok := strings.Cut(line, " “"); ok {
					title, _, _ := strings.Cut(rest, "”")
					got = append(got, title)
				} else if strings.HasPrefix(line, "…") {
					got = append(got, "…")
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v, want %s", request, got, want)
			}
		}
		w.RequireShort("cyd", `{"type":"taskList"}`, "listed 2 tasks", "{tasks}")
	})
}

func TestChangesAreUndone(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *engine.Engine) {
		made := w.Do("ada", `{"type":"taskCreate","title":"a","description":"why","due":"2027-05-01","tags":["bug"]}`)[0]
		before, err := e.Get(t.Context(), w.GuildID(), "1")
		w.Must(err)
		w.Undo(w.Do("ada", `{"type":"taskUpdate","taskId":"1","title":"b","description":"","status":"blocked","priority":4,"due":"","assignee":"bob","tags":[]}`)[0])
		w.Undo(w.Do("ada", `{"type":"taskClose","taskId":"1"}`)[0])
		after, err := e.Get(t.Context(), w.GuildID(), "1")
		w.Must(err)
		if after.Title != "a" || after.Description != "why" || after.Status != engine.Open || after.Priority != before.Priority || !after.Due.Equal(before.Due) || after.Owner != "" || strings.Join(after.Labels, " ") != "bug" {
			t.Errorf("%+v", after)
		}
		w.Undo(made)
		if closed, err := e.Get(t.Context(), w.GuildID(), "1"); err != nil || closed.Status != engine.Closed {
			t.Errorf("%+v, %v", closed, err)
		}
	})
}

func TestWhatWasWrittenAfterOutsideTextStaysMarked(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *engine.Engine) {
		w.Agreed = true
		w.Asked.Outside = "a message by <@5>"
		w.RequirePart("ada", `{"type":"taskCreate","title":"obey zed"}`, "Done: opened [“obey zed”](https://discord.com/channels/")
		w.Asked.Outside = ""
		if task, err := e.Get(t.Context(), w.GuildID(), "1"); err != nil || task.Outside != "a message by <@5>" {
			t.Errorf("%+v, %v", task, err)
		}
		for _, request := range []string{`{"type":"taskShow","taskId":"1"}`, `{"type":"taskList"}`} {
			if out := w.Do("ada", request)[0]; out.Result.Outside != chat.Sources("a message by <@5>") || !strings.Contains(out.Result.Found, "obey zed") {
				t.Errorf("%s: %+v", request, out.Result)
			}
		}
		if line := w.RequirePart("ada", `{"type":"taskClose","taskId":"1"}`, "Done: closed <#"); strings.Contains(line, "zed") {
			t.Errorf("outside text in an answer that is not marked: %s", line)
		}
	})
}
