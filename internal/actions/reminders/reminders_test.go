package reminders_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/reminders"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/reminder"
	"discoclaw/internal/store"
)

const layout = `
guild disco: #general #ops #secret ideas:forum
member ada: owner
member bob
member cyd
stranger zed
deny #secret bob: View Channel
deny #ops cyd: Send Messages
`

func onServer(t *testing.T, test func(t *testing.T, w *server.Server, e *reminder.Engine)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), path)
		w.Must(err)
		t.Cleanup(func() { _ = db.Close() })
		e := reminder.New(db, reminder.Options{Outbox: outbox.New(db, w.Bot, nil), Server: w.Bot})
		w.Offer(reminders.New(w.Bot, e, func(context.Context, chat.UserID) *time.Location { return time.UTC }, func(who chat.UserID, _ chat.Place) string {
			if who == w.UserID("zed") {
				return "not on the list of users"
			}
			return ""
		}))
		w.Asked.Place.Channel = w.ChannelID("#general")
		test(t, w, e)
	})
}

// in returns how Discord shows a moment so far from now.
func in(d time.Duration) string { return fmt.Sprintf("<t:%d:f>", time.Now().Add(d).Unix()) }

func TestItPromises(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *reminder.Engine) {
		w.Require("bob", `{"type":"remind","text":" buy milk ","in":"20m"}`, "Done: I'll remind you on "+in(20*time.Minute)+" (reminder 1)")
		at := time.Now().Add(48 * time.Hour).UTC().Format("2006-01-02T15:04Z07:00")
		w.Require("bob", `{"type":"remind","text":"x","at":"`+at+`","channel":"#ops","userId":"<@{cyd}>"}`, "Done: I'll remind <@{cyd}> in <#{ops}> on "+in(48*time.Hour)+" (reminder 2)")
		list, err := e.Waiting(t.Context(), w.UserID("bob"))
		w.Must(err)
		if len(list) != 2 || list[0].Text != "buy milk" || list[0].Recipient != w.UserID("bob") || list[1].Channel != w.ChannelID("#ops") || list[1].AskedIn != w.ChannelID("#general") || list[1].Recipient != w.UserID("cyd") {
			t.Errorf("waiting: %+v", list)
		}
	})
}

func TestItRefuses(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *reminder.Engine) {
		for _, tt := range []struct{ name, who, args, want string }{
			{"nothing", "ada", ``, "text: missing"},
			{"no time", "ada", `,"text":"x"`, "give either in, such as 20m, or at"},
			{"two times", "ada", `,"text":"x","in":"5m","at":"2030-01-01T00:00Z"`, "give either in, such as 20m, or at"},
			{"no length of time", "ada", `,"text":"x","in":"soon"`, `in: "soon" is not a length of time`},
			{"no time of a clock", "ada", `,"text":"x","at":"at noon"`, `I can't read "at noon" as a date`},
			{"the past", "ada", `,"text":"x","at":"2020-01-01T00:00Z"`, "<t:1577836800:f> has already passed"},
			{"too far ahead", "ada", `,"text":"x","in":"400d"`, "a reminder can be at most a year ahead"},
			{"too long", "ada", `,"text":"` + strings.Repeat("x", 1501) + `","in":"5m"`, "text: has 1501 characters, must have at most 1500"},
			{"a forum", "ada", `,"text":"x","in":"5m","channel":"ideas"`, "<#{ideas}> is a forum channel, where no reminder can be posted"},
			{"where they may not write", "cyd", `,"text":"x","in":"5m","channel":"ops"`, "you need *Send Messages* in <#{ops}> for that"},
			{"where they may not look", "bob", `,"text":"x","in":"5m","channel":"secret"`, `I can't see a channel #secret`},
			{"for somebody who cannot look there", "ada", `,"text":"x","in":"5m","channel":"secret","userId":"{bob}"`, "<@{bob}> cannot see <#{secret}>"},
			{"for somebody who is not there", "ada", `,"text":"x","in":"5m","userId":"123456789012345678"`, "<@123456789012345678> is not a member of this server"},
			{"for a bot", "ada", `,"text":"x","in":"5m","userId":"{bot}"`, "<@{bot}> is a bot"},
			{"where the bot does not serve them", "zed", `,"text":"x","in":"5m"`, "I don't answer you in <#{general}>"},
			{"nobody", "", `,"text":"x","in":"5m"`, "nobody is known to have asked for this"},
		} {
			got := w.Run(tt.who, `{"type":"remind"`+tt.args+`}`)[0]
			if want := "Failed: remind: " + w.WithIDs(tt.want); !strings.HasPrefix(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
			}
		}
		if list, err := e.Waiting(t.Context(), w.UserID("ada")); err != nil || len(list) > 0 {
			t.Errorf("%d reminders wait, %v", len(list), err)
		}
	})
}

func TestThereIsALimit(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, _ *reminder.Engine) {
		const some = `{"type":"remind","text":"x","in":"5m"}`
		for range reminder.MaxWaiting {
			w.RequirePart("bob", some, "Done: ")
		}
		w.Require("bob", some, "Failed: remind: 50 reminders are waiting already, and nobody may have more; cancel one first")
		w.RequirePart("ada", some, "Done: ")
	})
}

// TestPeopleSeeAndCancelTheirOwn, with the text only where all readers may know it: they could read it where it was set or will be posted.
func TestPeopleSeeAndCancelTheirOwn(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *reminder.Engine) {
		none := func(of string) string { return "Done: no reminders" + of + " are waiting" }
		w.Require("ada", `{"type":"remindList"}`, none(" of <@{ada}>"))
		w.Run("ada", `{"type":"remind","text":"buy\nmilk","in":"1h"}`)
		w.Asked.Place.Channel = w.ChannelID("#secret")
		w.Run("ada", `{"type":"remind","text":"fire bob","in":"2h","userId":"{cyd}"}`)
		secret := "2: " + in(2*time.Hour) + " for <@{cyd}>"
		w.Require("ada", `{"type":"remindList"}`, "Done: 2 reminders of <@{ada}> are waiting:\n1: "+in(time.Hour)+" in <#{general}>: buy milk\n"+secret+": fire bob")
		w.Asked.Place.Channel = w.ChannelID("#general")
		w.Require("ada", `{"type":"remindList"}`, "Done: 2 reminders of <@{ada}> are waiting:\n1: "+in(time.Hour)+": buy milk\n"+secret+" in <#{secret}>")
		if res := w.Do("ada", `{"type":"remindList"}`)[0].Result; !slices.Equal(res.From, []chat.ChannelID{w.ChannelID("#general")}) {
			t.Errorf("the list may be shown to those who read %v", res.From)
		}
		w.Require("bob", `{"type":"remindList"}`, none(" of <@{bob}>"))
		w.Require("", `{"type":"remindList"}`, none(""))
		w.Require("cyd", `{"type":"remindCancel","id":2}`, "Failed: remindCancel: you have no reminder 2 that is waiting")
		out := w.Do("ada", `{"type":"remindCancel","id":2}`)[0]
		w.Undo(out)
		list, err := e.Waiting(t.Context(), w.UserID("ada"))
		w.Must(err)
		if len(list) != 2 || list[1].ID != 3 || list[1].Text != "fire bob" || list[1].Recipient != w.UserID("cyd") || list[1].Channel != w.ChannelID("#secret") {
			t.Errorf("waiting after a cancellation was taken back: %+v", list)
		}
		w.Undo(w.Do("ada", `{"type":"remind","text":"x","in":"5m"}`)[0])
		w.Require("ada", `{"type":"remindCancel","id":4}`, "Failed: remindCancel: you have no reminder 4 that is waiting")
	})
}

// TestAQuestionLendsNobodysEyes: who asked a question must not see through who answers it.
func TestAQuestionLendsNobodysEyes(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, _ *reminder.Engine) {
		w.Run("ada", `{"type":"remind","text":"x","in":"1h"}`)
		w.Asked.Prompters = chat.Union(w.UserID("bob"), "")
		w.Require("ada", `{"type":"remindList"}`, "Done: no reminders are waiting")
		w.Require("ada", `{"type":"remindCancel","id":1}`, "Failed: remindCancel: you have no reminder 1 that is waiting")
	})
}
