package cron_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
)

// TestAChainRunsInItsOrder: after a success only, and without what is paused (D12).
func TestAChainRunsInItsOrder(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		one, two, three := b.job("one", byHand), b.job("two", byHand), b.job("three", byHand)
		first := b.job("first", byHand, then(three.ID, two.ID, one.ID))
		b.change(two, paused(true))
		b.slow = true
		defer b.run()()
		b.trigger(first, "a")
		b.finish(cron.Outcome{Status: cron.Failed, Error: "no"})
		b.require("01 00:00:00 first manual 01 00:00")
		b.pass(time.Second)
		b.trigger(first, "b")
		b.finish(cron.Outcome{Status: cron.Canceled})
		b.require("01 00:00:01 first manual 01 00:00")
		b.pass(time.Second)
		b.trigger(first, "c")
		b.finish(cron.Outcome{})
		b.require("01 00:00:02 first manual 01 00:00", "01 00:00:02 three chain 01 00:00", "01 00:00:02 one chain 01 00:00")
	})
}

// TestAJobThatFollowsSeveral runs after each of them. Those that end while it is running lead to one more run.
func TestAJobThatFollowsSeveral(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ends []string // the order in which runs end
		want int      // runs of the last job
	}{
		{"one after the other", []string{"b", "last", "c", "last", "d", "last"}, 3},
		{"while it is running", []string{"b", "c", "d", "last", "last"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				last := b.job("last", byHand)
				var middle []string
				for _, name := range []string{"b", "c", "d"} {
					middle = append(middle, b.job(name, byHand, then(last.ID)).ID)
				}
				first := b.job("first", byHand, then(middle...))
				b.slow = true
				defer b.run()()
				b.trigger(first, "x")
				for _, name := range append([]string{"first"}, tt.ends...) {
					b.mu.Lock()
					at := slices.IndexFunc(b.begun, func(f cron.Fire) bool { return f.Name == name })
					if at < 0 {
						t.Fatalf("%s does not run: %q", name, b.runs)
					}
					f := b.begun[at]
					b.begun = slices.Delete(b.begun, at, at+1)
					b.mu.Unlock()
					b.end(f, cron.Outcome{})
					synctest.Wait()
				}
				if n := b.load(last).Runs; n != tt.want || len(b.begun) > 0 {
					t.Errorf("it ran %d times, want %d; %d are running", n, tt.want, len(b.begun))
				}
			})
		})
	}
}

// TestAChainEnds: at the limit, should jobs have come to lead to each other by another way than an update.
func TestAChainEnds(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		a := b.job("a", byHand)
		c := b.job("b", byHand, then(a.ID))
		if _, err := b.db.ExecContext(t.Context(), "UPDATE crons SET definition = json_set(definition, '$.Chain', json_array(?)) WHERE id = ?", c.ID, a.ID); err != nil {
			t.Fatal(err)
		}
		b.trigger(a, "x")
		b.during(time.Hour)
		if len(b.runs) != 1+cron.MaxChain {
			t.Errorf("%d runs", len(b.runs))
		}
	})
}

func TestAChainIsChecked(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		last := b.job("last", byHand)
		jobs := []cron.Job{last}
		for i := range cron.MaxChain - 1 {
			jobs = append(jobs, b.job(fmt.Sprint(i), byHand, then(jobs[i].ID)))
		}
		set := func(j cron.Job, chain ...string) error {
			_, _, err := b.Update(t.Context(), j.Guild, j.ID, func(j *cron.Job) error { j.Chain = chain; return nil })
			return err
		}
		first := b.job("first", byHand, then(jobs[len(jobs)-1].ID))
		b.refuses(set(last, first.ID), "circle")
		b.refuses(set(last, last.ID), "circle")
		b.refuses(set(last, "cron-none"), "there is no scheduled job `cron-none`")
		before := b.job("before", byHand)
		b.refuses(set(before, first.ID), "more than 10 jobs")
		for _, chain := range [][]string{{"cron-none"}, {first.ID}} {
			_, err := b.Create(t.Context(), cron.Job{Guild: "1", Definition: cron.Definition{Name: "x", Trigger: cron.ByHand, Prompt: "x", Chain: chain}})
			b.refuses(err, map[bool]string{true: "there is no", false: "more than"}[chain[0] == "cron-none"])
		}
		_, err := b.Create(t.Context(), cron.Job{Guild: "2", Definition: cron.Definition{Name: "x", Trigger: cron.ByHand, Prompt: "x", Chain: []string{first.ID}}})
		b.refuses(err, "there is no") // on this server
		if got := b.load(last); got.Chain != nil {
			t.Errorf("chain = %q", got.Chain)
		}
	})
}

// TestADeletedJobLeavesChains: D11 of the specification.
func TestADeletedJobLeavesChains(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		a, c := b.job("a", byHand), b.job("b", byHand)
		first := b.job("first", byHand, then(a.ID, c.ID))
		if _, err := b.Delete(t.Context(), "1", a.ID); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{c.ID}, b.load(first).Chain); diff != "" {
			t.Error(diff)
		}
		_, err := b.Delete(t.Context(), "1", a.ID)
		b.refuses(err, cron.ErrNotFound.Error())
		_, err = b.Trigger(t.Context(), "1", a.ID, "9", "x")
		b.refuses(err, cron.ErrNotFound.Error())
		b.trigger(first, "x")
		b.during(time.Minute)
		b.require("01 00:00:00 first manual 01 00:00", "01 00:00:00 b chain 01 00:00")
	})
}

// TestStateStaysInItsChannel: a run that began before its job was moved keeps nothing for the other channel.
func TestStateStaysInItsChannel(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("moves")
		b.slow = true
		defer b.run()()
		b.pass(7 * time.Hour)
		b.change(j, func(j *cron.Job) error { j.Channel = "5"; return nil })
		b.finish(cron.Outcome{State: json.RawMessage(`{"secret":1}`)})
		if got := b.load(j); got.State != nil || got.Runs != 1 {
			t.Errorf("it has kept %s, after %d runs", got.State, got.Runs)
		}
	})
}

// TestStateIsHandedOn: the next job of a chain sees it in its own state, but does not keep it.
func TestStateIsHandedOn(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		next := b.job("next", byHand, func(j *cron.Job) { j.State = json.RawMessage(`{"own":1}`) })
		first := b.job("first", byHand, then(next.ID))
		b.slow = true
		defer b.run()()
		b.trigger(first, "a")
		b.finish(cron.Outcome{State: json.RawMessage(`{"seen":5}`), People: "3 4", Outside: "a message by zed"})
		f := b.begun[1]
		if f.Why != cron.Chained || f.Depth != 1 || f.From.People != "3 4" || f.From.Outside != "a message by zed" || f.From.Job != first.ID {
			t.Errorf("got %+v from %+v", f, f.From)
		}
		want := fmt.Sprintf(`{"__upstream":{"fromCronId":"%s","state":{"seen":5}},"own":1}`, first.ID)
		if got := string(f.StateOf(b.load(next))); got != want {
			t.Errorf("state %s\nwant  %s", got, want)
		}
		_, kept, _ := cron.TakeState("<cron-state>" + want + "</cron-state>")
		b.finish(cron.Outcome{State: kept})
		if got := string(b.load(next).State); got != `{"own":1}` {
			t.Errorf("kept %s", got)
		}
		if got := b.load(first); got.Outside != "a message by zed" || string(got.State) != `{"seen":5}` {
			t.Errorf("got %+v", got)
		}
	})
}

func TestEndedIsIdempotent(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		next := b.job("next", byHand)
		first := b.job("first", byHand, then(next.ID))
		b.slow = true
		defer b.run()()
		b.trigger(first, "a")
		f := b.begun[0]
		b.end(f, cron.Outcome{State: json.RawMessage(`{"n":1}`), Input: 10, Output: 2})
		b.pass(time.Second)
		b.end(b.begun[1], cron.Outcome{})
		b.end(f, cron.Outcome{Status: cron.Failed, Error: "killed", State: json.RawMessage(`{"n":2}`)})
		b.pass(time.Minute)
		b.require("01 00:00:00 first manual 01 00:00", "01 00:00:00 next chain 01 00:00")
		if got := b.load(first); got.Runs != 1 || got.Last != cron.Success || string(got.State) != `{"n":1}` {
			t.Errorf("got %+v", got)
		}
		past, err := b.Past(t.Context(), first.ID, 10)
		b.must(err)
		if diff := cmp.Diff([]cron.Past{{Slot: f.Slot, Ended: f.Slot, Why: cron.Manual, Status: cron.Success, Input: 10, Output: 2}}, past); diff != "" {
			t.Errorf("past (-want +got):\n%s", diff)
		}
	})
}

func TestTheLastErrorIsKept(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("job")
		b.slow = true
		defer b.run()()
		for i, o := range []cron.Outcome{{Status: cron.Failed, Error: strings.Repeat("long\n", 100)}, {Status: cron.Canceled, Error: "stopped"}, {Status: cron.Success}} {
			b.trigger(j, fmt.Sprint(i))
			b.finish(o)
			b.pass(time.Second)
			if got := b.load(j); got.Runs != i+1 || got.Last != o.Status || chat.Length(got.Error) > 201 || strings.Contains(got.Error, "\n") || (got.Error == "") != (o.Error == "") {
				t.Errorf("after %s: %+v", o.Status, got)
			}
		}
	})
}

// TestRequestsAreIdempotent: a turn that is resumed repeats those whose outcome it does not know.
func TestRequestsAreIdempotent(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		named := func(j *cron.Job) { j.Dedupe = "turn/1" }
		j := b.job("job", named)
		if again := b.job("job", named); again.ID != j.ID || !again.Next.Equal(j.Next) {
			t.Errorf("made %+v", again)
		}
		if one, other := b.job("job"), b.job("job"); one.ID == other.ID {
			t.Error("requests without a name are not the same")
		}
		defer b.run()()
		b.trigger(j, "turn/2")
		b.pass(time.Minute)
		b.trigger(j, "turn/2")
		b.require("01 00:00:00 job manual 01 00:00")
		b.trigger(j, "turn/3")
		b.require("01 00:01:00 job manual 01 00:01")
	})
}

func TestDefinitionsAreChecked(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		for want, change := range map[string]func(*cron.Definition){
			"needs a name":               func(d *cron.Definition) { d.Name = " \n" },
			"the name has 81 characters": func(d *cron.Definition) { d.Name = strings.Repeat("x", 81) },
			"needs a prompt":             func(d *cron.Definition) { d.Prompt = "" },
			"the prompt has 4001":        func(d *cron.Definition) { d.Prompt = strings.Repeat("x", 4001) },
			"I don't know the time zone": func(d *cron.Definition) { d.Zone = "Mars/Olympus" },
			"every 15 minutes":           func(d *cron.Definition) { d.Schedule = "now and then" },
		} {
			d := cron.Definition{Name: "job", Schedule: "0 7 * * *", Prompt: "look"}
			change(&d)
			_, err := b.Create(t.Context(), cron.Job{Guild: "1", Definition: d})
			b.refuses(err, want)
		}
		j := b.job("job", func(j *cron.Job) { j.Zone = "" })
		if j.Zone != "UTC" || j.Missed != cron.Once || j.Trigger != cron.BySchedule {
			t.Errorf("got %+v", j)
		}
		_, _, err := b.Update(t.Context(), "1", j.ID, func(j *cron.Job) error {
			j.State = json.RawMessage(`"` + strings.Repeat("x", cron.MaxState) + `"`)
			return nil
		})
		b.refuses(err, "the state has")
		_, _, err = b.Update(t.Context(), "2", j.ID, func(*cron.Job) error { return nil })
		b.refuses(err, cron.ErrNotFound.Error())
	})
}

// TestJobsAreLimited for each person and each server.
func TestJobsAreLimited(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		by := func(who int) func(*cron.Job) {
			return func(j *cron.Job) { j.Author = chat.UserID(strconv.Itoa(who)) }
		}
		for i := range cron.MaxJobs {
			b.job("job", byHand, by(i/cron.MaxOwn))
		}
		another := cron.Job{Guild: "1", Definition: cron.Definition{Name: "x", Trigger: cron.ByHand, Prompt: "x"}}
		another.Author = "0"
		_, err := b.Create(t.Context(), another)
		b.refuses(err, "you have 25 scheduled jobs here already")
		another.Author = "100"
		_, err = b.Create(t.Context(), another)
		b.refuses(err, "this server has 500 scheduled jobs already")
		b.job("job", byHand, func(j *cron.Job) { j.Guild = "2" })
	})
}

func TestRestsSince(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("job")
		b.pass(time.Hour)
		b.change(j, paused(true))
		at := time.Now()
		b.pass(time.Hour)
		j = b.change(j, func(j *cron.Job) error { j.Prompt = "other"; return nil })
		if !j.RestsSince(at.Add(-time.Second)) || j.RestsSince(at) || b.change(j, paused(false)).RestsSince(time.Time{}) {
			t.Errorf("got %+v", j)
		}
	})
}
