package forging_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/forging"
	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/plantest"
	"discoclaw/internal/plan/work"
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
		plans := planact.New(w.Work, w.Bot, nil)
		w.Offer(plans, forging.New(plans, w.Work))
		ada, bob := w.UserID("ada"), w.UserID("bob")
		w.Guard = access.Guard(access.Policy{Users: []chat.UserID{ada, bob}, Operators: access.List[chat.UserID]{Set: true, IDs: []chat.UserID{ada}}}, w.Bot)
		test(t, w)
	})
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

const greet = `{"type":"forgeCreate","description":"Greet politely","context":"People complain."}`

func TestEverythingNeedsAnOperator(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		for _, a := range forging.New(nil, nil).Actions() {
			if got, want := w.Run("bob", string(a.Examples()[0]))[0], "Failed: "+a.Name+": only the people who run me may do that"; got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
		}
	})
}

func TestAPlanIsForgedApprovedAndRun(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Answer(plantest.Able)
		w.Require("ada", greet, "Done: models are writing and auditing “Greet politely” now; it appears here in a few minutes")
		p := w.requireStatus(doc.Review)
		if !strings.Contains(p.Body(), "good morning") || p.LatestVerdict() != "Ready to approve" {
			t.Errorf("verdict %q of\n%s", p.LatestVerdict(), p.Text())
		}
		w.RequirePart("ada", `{"type":"planShow","planId":"1"}`, "latest verdict: Ready to approve")
		w.RequirePart("ada", `{"type":"planApprove","planId":"1"}`, "Done: approved “Greet politely”")
		w.RequirePart("ada", `{"type":"planRun","planId":"1"}`, "Done: started “Greet politely”")
		w.requireStatus(doc.Closed)
	})
}

func TestOnePlanIsForgedAtATime(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Require("ada", `{"type":"forgeStatus"}`, "Done: no plan is being written or carried out")
		w.Require("ada", `{"type":"forgeCancel"}`, "Failed: forgeCancel: no plan is being written here")
		w.Run("ada", greet)
		busy := "models are writing a plan now, and one is written at a time; wait for it, or stop it with `!forge cancel`"
		w.Require("ada", `{"type":"forgeCreate","description":"Another one"}`, "Failed: forgeCreate: "+busy)
		for _, id := range []string{"1", "001", "plan-1", "ws-001"} {
			w.Require("ada", `{"type":"forgeResume","planId":"`+id+`"}`, "Failed: forgeResume: "+busy)
		}
		w.RequirePart("ada", `{"type":"forgeStatus"}`, "Done: “Greet politely” is being written and audited in <#{general}>, since <t:")
		w.RequireShort("ada", `{"type":"forgeStatus"}`, "looked up what is being done on plans")
		if list, err := w.Plans.List(t.Context(), w.GuildID(), ""); err != nil || len(list) != 1 {
			t.Errorf("%d plans, %v", len(list), err)
		}
		w.Require("ada", `{"type":"forgeCancel"}`, "Done: stopped the work on the plan; `!forge plan-001` goes on with it")
		w.requireStatus(doc.Cancelled)
		w.Answer(plantest.Able)
		w.Require("ada", `{"type":"forgeResume","planId":"1"}`, "Done: models are revising and auditing “Greet politely” now; what comes of it appears here in a few minutes")
		w.requireStatus(doc.Review)
	})
}

func TestRunsAreNoForges(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Make(w.GuildID(), w.ChannelID("#general"), w.UserID("ada"), "")
		w.Run("ada", `{"type":"planApprove","planId":"1"}`, `{"type":"planRun","planId":"1"}`)
		w.RequirePart("ada", `{"type":"forgeStatus"}`, "Done: “Greet politely” is being carried out in <#{general}>, since <t:")
		w.Require("ada", `{"type":"forgeCancel"}`, "Failed: forgeCancel: no plan is being written here")
		w.RequirePart("ada", `{"type":"forgeResume","planId":"ws-001"}`, "Failed: forgeResume: this plan is being carried out; stop it first")
		w.RequirePart("ada", `{"type":"forgeResume","planId":"1","wish":"x"}`, "Failed: forgeResume: this plan is being carried out; stop it first")
	})
}

func TestItRefuses(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Make(w.GuildID(), w.ChannelID("#general"), w.UserID("ada"), "")
		w.Run("ada", `{"type":"planApprove","planId":"1"}`)
		for _, tt := range []struct{ name, request, want string }{
			{"no description", `{"type":"forgeCreate"}`, "forgeCreate: description: missing"},
			{"nothing said", `{"type":"forgeCreate","description":"…!"}`, "forgeCreate: "},
			{"no plan", `{"type":"forgeResume"}`, "forgeResume: planId: missing"},
			{"unknown", `{"type":"forgeResume","planId":"plan-99"}`, "forgeResume: there is no such plan; `!plan list` shows them"},
			{"what is approved", `{"type":"forgeResume","planId":"1"}`, "forgeResume: this plan is approved, so its text stays as it is; run it with planRun (`!plan run plan-001`), or edit its file"},
			{"a wish for it", `{"type":"forgeResume","planId":"1","wish":"less"}`, "forgeResume: this plan is approved, so its text stays as it is; run it with planRun"},
		} {
			if got, want := w.Run("ada", tt.request)[0], "Failed: "+tt.want; !strings.HasPrefix(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
			}
		}
		w.Run("ada", `{"type":"planClose","planId":"1"}`)
		w.Require("ada", `{"type":"forgeResume","planId":"1"}`, "Failed: forgeResume: this plan is closed, and stays so; make a new one")
		if list, err := w.Plans.List(t.Context(), w.GuildID(), ""); err != nil || len(list) != 1 {
			t.Errorf("%d plans, %v", len(list), err)
		}
	})
}

func TestAWishReachesTheModel(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Make(w.GuildID(), w.ChannelID("#general"), w.UserID("ada"), "")
		asked := make(chan string, 1)
		w.Answer(func(_ context.Context, q ask.Question) (string, error) {
			asked <- q.Text
			return "", errors.New("no more")
		})
		w.RequirePart("ada", `{"type":"forgeResume","planId":"1","wish":"Keep the old greeting, too."}`, "Done: models are revising and auditing “Greet politely” now")
		if text := <-asked; !strings.Contains(text, "Keep the old greeting, too.") {
			t.Error(text)
		}
	})
}

func TestWhatATurnHasReadStaysWithItsPlan(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Asked.Outside = "a page"
		if held, outs := w.Pending("ada", greet); len(held) != 1 {
			t.Errorf("not held: %s", outs[0].Told())
		}
		w.Agreed = true
		w.Asked.Prompters = chat.Union(w.UserID("ada"), "")
		w.RequirePart("ada", greet, "Done: models are writing and auditing “Greet politely” now")
		doing := w.Work.Active(w.GuildID())
		if len(doing) != 1 || doing[0].Outside != "a page" || doing[0].Prompters != w.Asked.Prompters {
			t.Errorf("%+v", doing)
		}
		if p := w.requireStatus(doc.Draft); p.Outside != "a page" {
			t.Errorf("%+v", p)
		}
	})
}

func TestNothingIsForgedInsideARun(t *testing.T) {
	t.Parallel()
	reg := actionstest.Registry(t, forging.New(nil, nil))
	for typ, want := range map[string]actions.Decision{"forgeCreate": actions.Refused, "forgeResume": actions.Refused, "forgeStatus": actions.Allowed, "forgeCancel": actions.Allowed} {
		if v := reg.Gate(actionstest.Open(reg), actions.AtDepth(1)).Verdict(typ); v.Decision != want {
			t.Errorf("%s: %+v", typ, v)
		}
	}
}

func TestARepeatedRequestDoesNotBeginAgainWhatIsOver(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		var asked atomic.Int32
		w.Answer(func(ctx context.Context, q ask.Question) (string, error) {
			asked.Add(1)
			return plantest.Able(ctx, q)
		})
		order := work.Order{Description: "Greet politely", At: chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("#general")}, Requester: w.UserID("ada"), Dedupe: "turn/1"}
		if _, err := w.Work.Forge(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		p := w.requireStatus(doc.Review)
		if _, err := w.Plans.Approve(t.Context(), w.GuildID(), "1", p.Hash(), w.UserID("ada")); err != nil {
			t.Fatal(err)
		}
		before := asked.Load()
		if _, err := w.Work.Forge(t.Context(), order); err != nil { // as a turn does that a crash cut off
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		w.requireStatus(doc.Approved)
		if asked.Load() != before {
			t.Errorf("models were asked %d times more", asked.Load()-before)
		}
	})
}
