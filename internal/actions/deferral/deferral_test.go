package deferral_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions/actionstest/server"
	deferact "discoclaw/internal/actions/deferral"
	"discoclaw/internal/chat"
	"discoclaw/internal/deferral"
	"discoclaw/internal/store"
)

const layout = `
guild disco: #general #ops #secret ideas:forum talk:voice Projects:category
bot DiscoClaw
member ada: owner
member bob
member cyd
thread "A plan" in #ops
deny #ops cyd: Send Messages
deny #secret bob: View Channel
`

// onServer runs a test in which ada is an operator, runs in #general are barred, and jobs do
// not become due.
func onServer(t *testing.T, test func(t *testing.T, w *server.Server, e *deferral.Engine)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), path)
		w.Must(err)
		t.Cleanup(func() { _ = db.Close() })
		e := deferral.New(db, deferral.Options{})
		w.Offer(deferact.New(w.Bot, e, deferact.Options{
			Barred: func(_ chat.UserID, where chat.Place) string {
				if where.Channel == w.ChannelID("#general") {
					return "not in the list of channels"
				}
				return ""
			},
			Operates: func(_ context.Context, u chat.UserID, _ chat.GuildID) bool { return u == w.UserID("ada") },
		}))
		test(t, w, e)
	})
}

func TestDeferSchedulesAJob(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *deferral.Engine) {
		now := time.Now().UTC()
		w.Asked.Turn, w.Asked.Prompters = "T", chat.Union(w.UserID("ada"), "")
		at := func(d time.Duration) string { return chat.Clock(now.Add(d)) }
		w.Require("bob", `{"type":"defer","channel":"#ops","prompt":" look again ","delaySeconds":600}`,
			"Done: I'll come back to this in <#{ops}> on "+at(10*time.Minute)+" (follow-up 1)")
		w.Require("bob", `{"type":"defer","channel":"A plan","prompt":"look again","delaySeconds":"61.5"}`,
			"Done: I'll come back to this in <#{A plan}> on "+at(61500*time.Millisecond)+" (follow-up 2)")
		w.Require("bob", `{"type":"defer","channel":"{ops}","prompt":"look again","delaySeconds":0.25}`,
			"Done: I'll come back to this in <#{ops}> on "+at(0)+" (follow-up 3)")
		list, err := e.Pending(t.Context(), w.GuildID())
		w.Must(err)
		if len(list) != 3 {
			t.Fatalf("%d jobs wait", len(list))
		}
		j := list[2]
		if j.Channel != w.ChannelID("#ops") || j.Name != "ops" || j.Prompt != "look again" || j.Requester != w.UserID("bob") ||
			j.Prompters != chat.Union(w.UserID("ada"), "") || j.Turn != "T" || !j.Due.Equal(now.Add(10*time.Minute)) {
			t.Errorf("the job is %+v", j)
		}
	})
}

func TestDeferRefuses(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *deferral.Engine) {
		for _, tt := range []struct{ name, who, args, want string }{
			{"nothing", "ada", ``, "channel: missing; prompt: missing; delaySeconds: missing"},
			{"blanks", "ada", `,"channel":" ","prompt":" ","delaySeconds":60`, "channel: empty; prompt: empty"},
			{"words for a number", "ada", `,"channel":"ops","prompt":"x","delaySeconds":"soon"`, `delaySeconds: must be a number, not "soon"`},
			{"infinity", "ada", `,"channel":"ops","prompt":"x","delaySeconds":1e999`, "delaySeconds: "},
			{"too long a prompt", "ada", `,"channel":"ops","prompt":"` + strings.Repeat("x", 4001) + `","delaySeconds":60`, "prompt: has 4001 characters, must have at most 4000"},
			{"no delay", "ada", `,"channel":"ops","prompt":"x","delaySeconds":0`, "I can come back to something later, not at once or in the past"},
			{"the past", "ada", `,"channel":"ops","prompt":"x","delaySeconds":-1e300`, "I can come back to something later, not at once or in the past"},
			{"too far ahead", "ada", `,"channel":"ops","prompt":"x","delaySeconds":1800.001`, "I can put work off by at most 30 minutes; for later, ask for a reminder or for a scheduled job that runs once"},
			{"for ever", "ada", `,"channel":"ops","prompt":"x","delaySeconds":1e300`, "I can put work off by at most 30 minutes; for later, ask for a reminder or for a scheduled job that runs once"},
			{"a forum", "ada", `,"channel":"ideas","prompt":"x","delaySeconds":60`, "<#{ideas}> is a forum channel, where no follow-up can be posted; choose a text channel or a thread"},
			{"a voice channel", "ada", `,"channel":"talk","prompt":"x","delaySeconds":60`, ""},
			{"no channel", "ada", `,"channel":"nowhere","prompt":"x","delaySeconds":60`, `I can't see a channel #nowhere`},
			{"where the bot does not answer", "ada", `,"channel":"general","prompt":"x","delaySeconds":60`, "I don't answer you in <#{general}>"},
			{"where they may not write", "cyd", `,"channel":"ops","prompt":"x","delaySeconds":60`, "you need *Send Messages* in <#{ops}> for that"},
			{"where they may not look", "bob", `,"channel":"secret","prompt":"x","delaySeconds":60`, `I can't see a channel #secret`},
			{"nobody", "", `,"channel":"ops","prompt":"x","delaySeconds":60`, "nobody is known to have asked for this"},
		} {
			got := w.Run(tt.who, `{"type":"defer"`+tt.args+`}`)[0]
			if want := "Failed: defer: " + w.WithIDs(tt.want); !strings.HasPrefix(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
			}
		}
		if list, err := e.Pending(t.Context(), w.GuildID()); err != nil || len(list) > 0 {
			t.Errorf("%d jobs wait, %v", len(list), err)
		}
	})
}

const someDefer = `{"type":"defer","channel":"ops","prompt":"x","delaySeconds":60}`

func TestMembersSeeAndCancelTheirOwnJobs(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, _ *deferral.Engine) {
		const none = "Done: No pending one-shot deferred actions"
		w.Require("bob", `{"type":"deferList"}`, none)
		due := time.Now().Add(time.Minute).UTC().Format("2006-01-02 15:04:05 UTC")
		w.Run("bob", `{"type":"defer","channel":"ops","prompt":"say \"hi\"\nand `+strings.Repeat("x", 200)+`","delaySeconds":60}`)
		w.Run("ada", someDefer)
		bobs := `id=1 | channel=<#{ops}> | remaining=50s | runsAt=` + due + ` | prompt="say 'hi' and ` + strings.Repeat("x", 107) + `…"`
		time.Sleep(10 * time.Second)
		w.Require("bob", `{"type":"deferList"}`, "Done: Pending one-shot deferred actions (1):\n1. "+bobs)
		w.RequireShort("bob", `{"type":"deferList"}`, "listed 1 follow-up that waits")
		w.Require("cyd", `{"type":"deferList"}`, none)
		w.Require("", `{"type":"deferList"}`, none)
		w.Require("ada", `{"type":"deferList"}`, "Done: Pending one-shot deferred actions (2):\n1. "+bobs+"\n2. id=2 | channel=<#{ops}> | remaining=50s | runsAt="+due+` | prompt="x"`)
		refused := func(who, id string) {
			t.Helper()
			w.Require(who, `{"type":"deferCancel","id":`+id+`}`, "Failed: deferCancel: you have no follow-up "+id+" that is waiting")
		}
		refused("bob", "2")
		refused("cyd", "1")
		refused("", "1")
		refused("ada", "3")
		time.Sleep(time.Minute)
		w.RequirePart("bob", `{"type":"deferList"}`, "remaining=due now")
		w.RequirePart("bob", `{"type":"deferCancel","id":1}`, "Done: cancelled the follow-up in <#"+string(w.ChannelID("#ops"))+"> on ")
		w.RequirePart("ada", `{"type":"deferCancel","id":"2"}`, "Done: cancelled the follow-up in <#"+string(w.ChannelID("#ops"))+"> on ")
		refused("ada", "2")
	})
}

// TestTheAuthorOfAQuestionSeesNoJobsOfItsAnswerer: the rights of both bound the turn.
func TestTheAuthorOfAQuestionSeesNoJobsOfItsAnswerer(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, _ *deferral.Engine) {
		w.Run("ada", someDefer)
		w.Asked.Prompters = chat.Union(w.UserID("bob"), "")
		w.Require("ada", `{"type":"deferList"}`, "Done: No pending one-shot deferred actions")
	})
}

func TestSchedulingCanBeUndone(t *testing.T) {
	onServer(t, func(t *testing.T, w *server.Server, e *deferral.Engine) {
		w.Undo(w.Do("ada", someDefer)[0])
		if list, err := e.Pending(t.Context(), w.GuildID()); err != nil || len(list) > 0 {
			t.Errorf("%d jobs wait, %v", len(list), err)
		}
	})
}
