package plans_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/actionstest/server"
	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/plantest"
)

// A world is a server on which ada is an operator, and bob is not.
type world struct {
	*server.Server
	*plantest.Desk
	t testing.TB
}

func onServer(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	server.In(t, "guild disco: #general #ops\nmember ada\nmember bob", func(t *testing.T, s *server.Server) {
		w := &world{s, plantest.New(t, s.Bot), t}
		w.Offer(planact.New(w.Work, w.Bot, nil))
		ada, bob := w.UserID("ada"), w.UserID("bob")
		w.Guard = access.Guard(access.Policy{Users: []chat.UserID{ada, bob}, Operators: access.List[chat.UserID]{Set: true, IDs: []chat.UserID{ada}}}, w.Bot)
		test(t, w)
	})
}

// made returns a plan of ada's, asked for in #general.
func (w *world) made(outside chat.Sources) plan.Plan {
	w.t.Helper()
	return w.Make(w.GuildID(), w.ChannelID("#general"), w.UserID("ada"), outside)
}

func (w *world) requireStatus(want doc.Status) plan.Plan {
	w.t.Helper()
	p, err := w.Plans.Find(w.t.Context(), w.GuildID(), "1")
	for range 60 { // of work that goes on
		if err != nil || p.Status == want {
			break
		}
		time.Sleep(time.Second)
		p, err = w.Plans.Find(w.t.Context(), w.GuildID(), "1")
	}
	if err != nil || p.Status != want {
		w.t.Fatalf("plan-001 is %s, want %s; %v", p.Status, want, err)
	}
	return p
}

func TestEverythingNeedsAnOperator(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("")
		for _, a := range planact.New(w.Work, w.Bot, nil).Actions() {
			request := string(a.Examples()[0])
			for who, want := range map[string]string{"bob": "Failed: " + a.Name + ": only the people who run me may do that", "": "Failed: " + a.Name + ": nobody is known to have asked for this"} {
				if got := w.Run(who, request)[0]; !strings.HasPrefix(got, want) {
					t.Errorf("%q asks for %s: %s", who, request, got)
				}
			}
		}
		w.requireStatus(doc.Draft)
	})
}

func TestPlansAreFound(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Require("ada", `{"type":"planList"}`, "Done: there are no plans yet")
		p := w.made("")
		line := "plan-001 “Greet politely”: a draft, project greeter"
		w.Require("ada", `{"type":"planList"}`, "Done: 1 plan:\n"+line)
		w.Require("ada", `{"type":"planList","status":"draft"}`, "Done: 1 plan:\n"+line)
		w.Require("ada", `{"type":"planList","status":"Review"}`, "Done: no plan is waiting for approval")
		w.RequireShort("ada", `{"type":"planList"}`, "listed 1 plan")
		if _, err := w.Work.Divide(t.Context(), p, false, false); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"1", "001", "plan-1", "PLAN-001", "ws-001"} {
			w.Require("ada", `{"type":"planShow","planId":"`+id+`"}`, "Done: **plan-001** “Greet politely”: a draft, project greeter\n"+
				"asked for by <@{ada}> on "+p.Created.Format(time.DateOnly)+"; task ws-001; version "+p.Hash()+"\nfile: `plan-001-greet-politely.md`\n"+
				"objective: The greeting says good morning to whoever is met.\nchanges: `greet/greet.txt`, `docs/usage.txt`\n"+
				"phases:\n[ ] phase-1: Change greet/greet.txt\n[ ] phase-2: Change docs/usage.txt\n[ ] phase-3: Audit the changes")
		}
		w.RequireShort("ada", `{"type":"planShow","planId":"1"}`, "looked at plan-001")
		if out := w.Do("ada", `{"type":"planShow","planId":"1"}`)[0]; out.Result.Open || len(out.Result.From) > 0 || out.Result.Outside != "the text of plan-001" {
			t.Errorf("%+v", out.Result)
		}
	})
}

func TestOutsideTextStaysMarked(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("a message by <@5>")
		for _, request := range []string{`{"type":"planShow","planId":"1"}`, `{"type":"planList"}`} {
			out := w.Do("ada", request)[0]
			if !strings.HasPrefix(string(out.Result.Outside), "a message by <@5>") || !strings.Contains(out.Result.Found, "Greet politely") {
				t.Errorf("%s: %+v", request, out.Result)
			}
			d, gate := w.Dispatcher()
			args := []byte(request)
			typ, _, _ := strings.Cut(strings.TrimPrefix(request, `{"type":"`), `"`)
			out = d.Execute(actions.Unmarked(t.Context()), w.Origin("ada"), gate, []actions.Request{{Type: typ, Args: args}})[0]
			if out.Result.Outside != "" || strings.Contains(out.Result.Found, "olitely") {
				t.Errorf("in an answer that is not marked, %s: %+v", request, out.Result)
			}
		}
		w.Require("ada", `{"type":"planClose","planId":"1"}`, "Done: closed plan-001")
	})
}

func TestItRefuses(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("")
		unknown := "there is no such plan; `!plan list` shows them"
		for _, tt := range []struct{ name, request, want string }{
			{"no plan", `{"type":"planShow"}`, "planShow: planId: missing"},
			{"unknown to look at", `{"type":"planShow","planId":"9"}`, "planShow: " + unknown},
			{"unknown to approve", `{"type":"planApprove","planId":"9"}`, "planApprove: " + unknown},
			{"unknown to close", `{"type":"planClose","planId":"9"}`, "planClose: " + unknown},
			{"unknown to run", `{"type":"planRun","planId":"9"}`, "planRun: " + unknown},
			{"no ID", `{"type":"planRun","planId":"the one"}`, "planRun: `the one` is no ID of a plan; IDs look like plan-007, or 7 for short"},
			{"no status", `{"type":"planList","status":"done"}`, `planList: "done" is no status of a plan; there are DRAFT, REVIEW, APPROVED, IMPLEMENTING, CANCELLED and CLOSED`},
			{"no description", `{"type":"planCreate"}`, "planCreate: description: missing"},
			{"no project of that name", `{"type":"planCreate","description":"x","project":"web"}`, `planCreate: there is no project "web"; there is greeter`},
			{"not approved", `{"type":"planRun","planId":"1"}`, "planRun: this plan is not approved, or was changed after it was; read it with `!plan show plan-001`, then approve it with `!plan approve plan-001`"},
			{"changed since", `{"type":"planApprove","planId":"1","version":"0123456789abcdef"}`, "planApprove: this plan has changed since it was shown"},
		} {
			if got, want := w.Run("ada", tt.request)[0], "Failed: "+tt.want; !strings.HasPrefix(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
			}
		}
		w.requireStatus(doc.Draft)
		w.AddProject("web")
		w.RequirePart("ada", `{"type":"planCreate","description":"x"}`, "Failed: planCreate: there are several projects; name one of greeter, web")
		w.RequirePart("ada", `{"type":"planCreate","description":"x","project":"web"}`, "Done: made an empty plan, “x”")
		w.Require("ada", `{"type":"planClose","planId":"1"}`, "Done: closed “Greet politely”")
		for _, typ := range []string{"planApprove", "planClose", "planRun"} {
			w.Require("ada", `{"type":"`+typ+`","planId":"1"}`, "Failed: "+typ+": this plan is closed, and stays so; make a new one")
		}
	})
}

func TestAPlanIsMadeAndUndone(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		out := w.Require("ada", `{"type":"planCreate","description":"Greet politely","context":"People complain."}`,
			"Done: made an empty plan, “Greet politely”; `!forge plan-001` has models write it, or an operator writes into its file `plan-001-greet-politely.md`")
		p := w.requireStatus(doc.Draft)
		if p.Author != w.UserID("ada") || p.Channel != w.ChannelID("#general") || p.Project != "greeter" || !strings.Contains(p.Text(), "People complain.") {
			t.Errorf("%+v\n%s", p, p.Text())
		}
		w.Undo(out)
		w.requireStatus(doc.Closed)
	})
}

func TestAPlanIsCarriedOut(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("")
		w.Answer(plantest.Able)
		w.Require("ada", `{"type":"planApprove","planId":"1"}`, "Done: approved “Greet politely”. Start it with `!plan run plan-001`")
		w.Require("ada", `{"type":"planApprove","planId":"1"}`, "Failed: planApprove: this plan is approved already; start it with `!plan run plan-001`")
		w.Require("ada", `{"type":"planRun","planId":"ws-001"}`, "Done: started “Greet politely”. A message here shows how it goes; the first phase is “Change greet/greet.txt”")
		p := w.requireStatus(doc.Closed)
		if got := string(p.Badge()); got != "verified" && got != "audited" {
			t.Errorf("verification %s: %+v", got, p.Phases)
		}
		if log := w.Log("discoclaw/plan-1"); strings.Count(log, "\n") != 2 || !strings.HasSuffix(log, "begin") {
			t.Errorf("commits:\n%s", log)
		}
		if text, err := os.ReadFile(filepath.Join(w.Dir, "greet/greet.txt")); err != nil || string(text) != "hello\n" {
			t.Errorf("the checkout has %q, %v", text, err)
		}
	})
}

// A long run ends with a message of its own, which alone tells the end, unless the request says not to.
func TestTheMessageAtTheEndOfARunCanBeLeftOut(t *testing.T) {
	for skip, want := range map[string]int{"false": 1, "true": 0} {
		t.Run(skip, func(t *testing.T) {
			onServer(t, func(t *testing.T, w *world) {
				w.made("")
				w.Answer(func(ctx context.Context, q ask.Question) (string, error) {
					time.Sleep(time.Minute)
					return plantest.Able(ctx, q)
				})
				w.Run("ada", `{"type":"planApprove","planId":"1"}`)
				w.RequirePart("ada", `{"type":"planRun","planId":"1","skipCompletionNotify":`+skip+`}`, "Done: started “Greet politely”")
				time.Sleep(10 * time.Minute)
				w.requireStatus(doc.Closed)
				got := w.Messages("#general")
				if last := len(got) - 1; last != want || !strings.Contains(got[last].Content, "**Greet politely** is done") || last > 0 && strings.Contains(got[0].Content, "is done") {
					t.Errorf("%d messages, want %d: %+v", len(got), want+1, got)
				}
			})
		})
	}
}

func TestAPlanRunsOnceHoweverItIsSpelled(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("")
		w.Run("ada", `{"type":"planApprove","planId":"1"}`, `{"type":"planRun","planId":"plan-001"}`)
		w.requireStatus(doc.Implementing)
		for _, id := range []string{"1", "001", "plan-1", "plan-001", "ws-001"} {
			for _, typ := range []string{"planRun", "planApprove", "planClose"} {
				w.Require("ada", `{"type":"`+typ+`","planId":"`+id+`"}`, "Failed: "+typ+": this plan is being carried out; stop it first with `!plan cancel plan-001`")
			}
		}
		if doing := w.Work.Active(w.GuildID()); len(doing) != 1 || doing[0].Requester != w.UserID("ada") || doing[0].At.Channel != w.ChannelID("#general") {
			t.Errorf("%+v", doing)
		}
	})
}

func TestNothingIsRunInsideARun(t *testing.T) {
	t.Parallel()
	reg := actionstest.Registry(t, planact.New(nil, nil, nil))
	for depth, want := range map[int]actions.Decision{0: actions.Allowed, 1: actions.Refused, 2: actions.Refused} {
		if v := reg.Gate(actionstest.Open(reg), actions.AtDepth(depth)).Verdict("planRun"); v.Decision != want {
			t.Errorf("at depth %d: %+v", depth, v)
		}
	}
}

func TestApprovalsOfNobodyInPersonAreHeld(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		p := w.made("")
		const request = `{"type":"planApprove","planId":"1"}`
		for name, set := range map[string]func(o *actions.Origin){
			"in a scheduled job":                func(o *actions.Origin) { o.Flow = actions.FlowCron },
			"in one that may do something else": func(o *actions.Origin) { o.Flow, o.Granted = actions.FlowCron, []string{"planRun"} },
			"in a deferred run":                 func(o *actions.Origin) { o.Flow = actions.FlowDefer },
			"after outside text":                func(o *actions.Origin) { o.Outside = "a message by <@5>" },
			"after outside text, in a job that may": func(o *actions.Origin) {
				o.Flow, o.Granted, o.Outside = actions.FlowCron, []string{"planApprove"}, "a page"
			},
		} {
			before := w.Asked
			set(&w.Asked)
			held, outs := w.Pending("ada", request)
			w.Asked = before
			if len(held) != 1 {
				t.Errorf("%s: %s", name, outs[0].Told())
				continue
			}
			want := "Approve the plan “Greet politely”, of the project *greeter*.\nNothing starts yet. When somebody runs it, models change `greet/greet.txt`, `docs/usage.txt`, and after each phase I run `true` on the computer that I run on."
			if got := held[0]; got.What != want || string(got.Request.Args) != `{"type":"planApprove","planId":"plan-001","version":"`+p.Hash()+`"}` {
				t.Errorf("%s, the card has %s, for %s", name, got.What, got.Request.Args)
			}
		}
		w.requireStatus(doc.Draft)
		w.Asked.Flow, w.Asked.Granted = actions.FlowCron, []string{"planApprove"}
		w.RequirePart("ada", request, "Done: approved “Greet politely”")
	})
}

func TestACardApprovesWhatItShows(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		p := w.made("")
		w.Asked.Flow = actions.FlowCron
		held, outs := w.Pending("ada", `{"type":"planApprove","planId":"1"}`)
		if len(held) != 1 {
			t.Fatalf("not held: %s", outs[0].Told())
		}
		w.Edit(p, func(text string) string { return strings.Replace(text, "good morning", "good riddance", 1) })
		w.Agreed = true
		w.RequirePart("ada", string(held[0].Request.Args), "Failed: planApprove: this plan has changed since it was shown")
		w.requireStatus(doc.Draft)
	})
}

func TestCardsAreNotPostedForWhatCannotBeApproved(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("")
		w.Run("ada", `{"type":"planClose","planId":"1"}`)
		w.Asked.Flow = actions.FlowCron
		for id, want := range map[string]string{"1": "this plan is closed", "9": "there is no such plan"} {
			held, outs := w.Pending("ada", `{"type":"planApprove","planId":"`+id+`"}`)
			if len(held) > 0 || outs[0].Err == nil || !strings.Contains(outs[0].Err.Error(), want) {
				t.Errorf("%+v, %v", held, outs[0].Err)
			}
		}
	})
}

// A job may run what was approved: approval is what needs a person.
func TestScheduledJobsRunApprovedPlans(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("")
		w.Run("ada", `{"type":"planApprove","planId":"1"}`)
		w.Asked.Flow, w.Asked.Job = actions.FlowCron, "cron-1"
		w.RequirePart("ada", `{"type":"planRun","planId":"1"}`, "Done: started “Greet politely”")
		if doing := w.Work.Active(w.GuildID()); len(doing) != 1 || doing[0].Job != "cron-1" {
			t.Errorf("%+v", doing)
		}
	})
}

// A killed is a Progress of a process that was killed after everything had begun.
type killed struct{}

func (killed) Recall(string) (actions.Record, bool)              { return actions.Record{}, true }
func (killed) IdempotencyKey(name string) string                 { return name }
func (killed) Begin(context.Context, string) error               { return nil }
func (killed) Settle(context.Context, map[string]actions.Record) {}

func TestWhatIsResumedIsDoneOnce(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		o := w.Origin("ada")
		o.Turn = "turn-1"
		for range 2 {
			d, gate := w.Dispatcher()
			out := d.Resume(t.Context(), o, gate, []actions.Request{{Type: "planCreate", Args: []byte(`{"type":"planCreate","description":"x"}`)}}, killed{}, 0)[0]
			if got := out.Told(); !strings.HasPrefix(got, "Done: made an empty plan, “x”") {
				t.Error(got)
			}
		}
		if list, err := w.Plans.List(t.Context(), w.GuildID(), ""); err != nil || len(list) != 1 {
			t.Errorf("%d plans, %v", len(list), err)
		}
	})
}
