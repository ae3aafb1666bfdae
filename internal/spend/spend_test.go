package spend_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/spend"
	"discoclaw/internal/store"
)

func open(t *testing.T) *store.DB {
	t.Helper()
	db := new(store.DB)
	if err := db.Open(t.Context(), filepath.Join(t.TempDir(), "bot.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// prices are such that a call of dear costs a dollar for each token of output, and nothing else.
var prices = models.Prices{"dear": {Output: 1e6}, "cheap": {Input: 1, Output: 1}}

func answering(steps ...script.Step) llm.Runtime {
	return script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
		return script.Answer(steps).Stream(ctx)
	})
}

// call makes a call and returns its error.
func call(t *testing.T, r llm.Runtime, req llm.Request) error {
	t.Helper()
	for _, err := range r.Invoke(t.Context(), req) {
		if err != nil {
			return err
		}
	}
	return nil
}

// overs returns the text for operators of a refusal, and that for members.
func overs(err error) string {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Kind != llm.OverBudget {
		return fmt.Sprint(err)
	}
	return e.Error() + " / " + e.ForMembers()
}

func TestCallsAreRecorded(t *testing.T) {
	book := spend.New(open(t), spend.Options{Prices: prices})
	r := book.Priced(answering(script.Text("Hi."), script.Usage(1_000_000, 0)), "a", "cheap")
	payer := llm.Payer{User: "1", Channel: "2", Turn: "t", Role: "chat"}
	for range 2 {
		if err := call(t, r, llm.Request{Payer: payer}); err != nil {
			t.Fatal(err)
		}
	}
	if err := call(t, r, llm.Request{Model: "unknown", Payer: llm.Payer{Job: "j", Role: "cron-exec"}}); err != nil {
		t.Fatal(err)
	}
	picture, err := book.BeginImage(t.Context(), payer, "paint", 0.1, true)
	if err != nil {
		t.Fatal(err)
	}
	picture.Made(0.04, true)
	report, err := book.Report(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{report.Total.String()}
	for _, list := range [][]spend.Sum{report.People, report.Jobs, report.Roles, report.Models} {
		for _, s := range list {
			got = append(got, s.Of+": "+s.String())
		}
	}
	want := []string{
		"at least $2.04 (4 calls, 3.0 M tokens in, 0 % of them cached, 0 out)",
		"1: $2.04 (3 calls, 2.0 M tokens in, 0 % of them cached, 0 out)", ": an unknown amount (1 call, 1.0 M tokens in, 0 % of them cached, 0 out)",
		": $2.04 (3 calls, 2.0 M tokens in, 0 % of them cached, 0 out)", "j: an unknown amount (1 call, 1.0 M tokens in, 0 % of them cached, 0 out)",
		"chat: $2.04 (3 calls, 2.0 M tokens in, 0 % of them cached, 0 out)", "cron-exec: an unknown amount (1 call, 1.0 M tokens in, 0 % of them cached, 0 out)",
		"cheap: $2.00 (2 calls, 2.0 M tokens in, 0 % of them cached, 0 out)", "paint: $0.04 (1 call, 0 tokens in, 0 out)", "unknown: an unknown amount (1 call, 1.0 M tokens in, 0 % of them cached, 0 out)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	own, err := book.Of(t.Context(), "1", 1)
	if err != nil || own.Calls != 3 {
		t.Errorf("the person's own are %v, %v", own, err)
	}
}

func TestCeilings(t *testing.T) {
	// The estimate of a call is 1000 tokens of output, and it then has 100.
	const dear = 1000.0
	for _, tt := range []struct {
		name     string
		ceilings spend.Ceilings
		payers   []llm.Payer
		want     string
	}{
		{"the day's", spend.Ceilings{Day: dear + 150}, []llm.Payer{{User: "1"}, {User: "2"}, {User: "3"}},
			"the budget of $1150.00 a day is used up; raise DISCOCLAW_BUDGET_DAY_USD, or wait until tomorrow / today's budget for my language model is used up; ask again tomorrow"},
		{"a person's", spend.Ceilings{UserDay: dear + 150}, []llm.Payer{{User: "1"}, {User: "2"}, {User: "1"}, {User: "2"}, {}, {}, {}, {User: "1"}},
			"the budget of $1150.00 a day for one person is used up; raise DISCOCLAW_BUDGET_USER_DAY_USD, or wait until tomorrow / you have used up your share of my language model for today; ask again tomorrow"},
		{"a run's", spend.Ceilings{CronRun: dear + 150}, []llm.Payer{{Job: "j", Turn: "1"}, {Job: "j", Turn: "2"}, {Turn: "1"}, {Job: "j", Turn: "1"}, {Job: "j", Turn: "1"}},
			"the budget of $1150.00 for one run of a scheduled job is used up; raise DISCOCLAW_BUDGET_CRON_RUN_USD, or make the job smaller / this run would cost more than one run of a scheduled job may; make the job smaller, or let it use a cheaper model"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			book := spend.New(open(t), spend.Options{Prices: prices, Ceilings: tt.ceilings})
			r := book.Priced(answering(script.Text("Hi."), script.Usage(0, 100)), "a", "dear")
			for i, p := range tt.payers {
				err := call(t, r, llm.Request{Payer: p})
				if last := i == len(tt.payers)-1; last && overs(err) != tt.want {
					t.Errorf("the last call: got %q, want %q", overs(err), tt.want)
				} else if !last && err != nil {
					t.Errorf("call %d: %v", i, err)
				}
			}
		})
	}
}

// TestAnEstimateCountsUntilTheCostIsKnown also after a crash, when no call waits for it any more.
func TestAnEstimateCountsUntilTheCostIsKnown(t *testing.T) {
	db := open(t)
	options := spend.Options{Prices: prices, Ceilings: spend.Ceilings{Day: 2500}}
	running := spend.New(db, options).Priced(answering(script.Text("Hi."), script.Usage(0, 1)), "a", "dear")
	again := spend.New(db, options).Priced(answering(script.Usage(0, 1)), "a", "dear")
	for range running.Invoke(t.Context(), llm.Request{}) {
		if err := call(t, again, llm.Request{}); err == nil {
			t.Error("the estimates of calls that were running are forgotten")
		}
		break
	}
	if err := call(t, running, llm.Request{}); err == nil {
		t.Error("an answer that was left is forgotten")
	}
}

func TestFailedCalls(t *testing.T) {
	down, torn := &llm.Error{Kind: llm.Unavailable}, &llm.Error{Kind: llm.Broken}
	for _, tt := range []struct {
		name  string
		steps []script.Step
		calls int
		usd   float64
	}{
		{"when the vendor had the request", []script.Step{script.Fail(torn)}, 1, 4096},
		{"before the answer began", []script.Step{script.Fail(down)}, 0, 0},
		{"in the middle", []script.Step{script.Text("Once"), script.Fail(down)}, 1, 4096},
		{"after the tokens", []script.Step{script.Text("Once"), script.Usage(0, 7), script.Fail(down)}, 1, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			book := spend.New(open(t), spend.Options{Prices: prices, Ceilings: spend.Ceilings{Day: 1e6}})
			if err := call(t, book.Priced(answering(tt.steps...), "a", "dear"), llm.Request{}); !errors.Is(err, down) && !errors.Is(err, torn) {
				t.Fatal(err)
			}
			report, err := book.Report(t.Context(), 1)
			if err != nil || report.Total.Calls != tt.calls || report.Total.USD != tt.usd {
				t.Errorf("the report is %+v, %v", report.Total, err)
			}
		})
	}
}

func TestAnUnknownPriceIsRefusedOnlyUnderACeiling(t *testing.T) {
	db := open(t)
	r := spend.New(db, spend.Options{Prices: prices, Ceilings: spend.Ceilings{UserDay: 1}}).Priced(answering(script.Usage(1, 1)), "a", "own")
	want := `the price of "own" is not known, so that no budget can be kept; add it to the file of DISCOCLAW_PRICES_FILE, or unset the budgets / I can't use my language model right now, and only the people who run me can change that`
	if got := overs(call(t, r, llm.Request{})); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := call(t, spend.New(db, spend.Options{Prices: prices}).Priced(answering(script.Usage(1, 1)), "a", "own"), llm.Request{}); err != nil {
		t.Error(err)
	}
}

// TestTheDayBeginsInTheZone, and with it the budget.
func TestTheDayBeginsInTheZone(t *testing.T) {
	now := time.Date(2026, 11, 16, 14, 30, 0, 0, time.UTC)
	book := spend.New(open(t), spend.Options{
		Prices: prices, Ceilings: spend.Ceilings{Day: 1050}, Now: func() time.Time { return now }, Zone: time.FixedZone("east", 9*3600),
	})
	r := book.Priced(answering(script.Text("Hi."), script.Usage(0, 100)), "a", "dear")
	job := llm.Request{Payer: llm.Payer{Job: "j"}}
	if err := call(t, r, job); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		e, _ := errors.AsType[*llm.Error](call(t, r, job))
		if e == nil || e.Repeated != (i == 1) {
			t.Errorf("refusal %d is %+v", i, e)
		}
	}
	now = now.Add(time.Hour) // midnight has passed there
	if err := call(t, r, job); err != nil {
		t.Error(err)
	}
	e, _ := errors.AsType[*llm.Error](call(t, r, job))
	if e == nil || e.Repeated {
		t.Errorf("the first refusal of the day is %+v", e)
	}
}

// TestRunWritesInGroups: entries of the same moment are one commit, and none is lost at the end.
func TestRunWritesInGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		book := spend.New(db, spend.Options{Prices: prices})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); book.Run(ctx) }()
		r := book.Priced(answering(script.Usage(1, 1)), "a", "cheap")
		before := db.Commits()
		for range 5 {
			_ = call(t, r, llm.Request{})
		}
		time.Sleep(time.Minute)
		if n := db.Commits() - before; n != 1 {
			t.Errorf("%d commits", n)
		}
		_ = call(t, r, llm.Request{})
		cancel()
		<-done
		report, err := spend.New(db, spend.Options{}).Report(t.Context(), 1)
		if err != nil || report.Total.Calls != 6 {
			t.Errorf("the report is %+v, %v", report.Total, err)
		}
	})
}

func TestNothingIsNotAnUnknownPrice(t *testing.T) {
	if got := (spend.Sum{}).String(); got != "nothing" {
		t.Error(got)
	}
}

// TestStoppedCallsCount: the vendor has begun to work on them. What they have cost is not known, so that it is estimated.
func TestStoppedCallsCount(t *testing.T) {
	for _, tt := range []struct {
		name    string
		written int // bytes before the stop
		usd     float64
	}{{"before the answer", 0, 4096}, {"after a word", 3, 4096}, {"late", 15_000, 5000}} {
		t.Run(tt.name, func(t *testing.T) {
			book := spend.New(open(t), spend.Options{Prices: prices, Ceilings: spend.Ceilings{Day: 1e6}})
			ctx, cancel := context.WithCancel(t.Context())
			model := script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
				return func(yield func(llm.Event, error) bool) {
					if tt.written > 0 && !yield(llm.TextDelta{Text: strings.Repeat("x", tt.written)}, nil) {
						return
					}
					cancel()
					yield(nil, context.Cause(ctx))
				}
			})
			for range book.Priced(model, "a", "dear").Invoke(ctx, llm.Request{}) {
			}
			report, err := book.Report(t.Context(), 1)
			if err != nil || report.Total.Calls != 1 || report.Total.USD != tt.usd {
				t.Errorf("the report is %+v, %v", report.Total, err)
			}
		})
	}
}
