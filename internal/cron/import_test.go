package cron_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/cron"
)

// importing takes jobs of the original's file. Types that begin with "del" need approval.
func (b *bench) importing(jobs ...string) cron.Imported {
	b.t.Helper()
	here := cron.Importing{
		Guild: "1", Bot: "999999999999999999", Model: func(string) error { return nil },
		Type: func(name string) (string, bool) { return name, strings.HasPrefix(name, "del") },
	}
	file := fmt.Sprintf(`{"version":10,"jobs":{%s}}`, strings.Join(jobs, ","))
	done, err := b.Import(b.t.Context(), here, fstest.MapFS{"cron/cron-run-stats.json": {Data: []byte(file)}})
	b.must(err)
	return done
}

// legacy is a job of the original, with further fields.
func legacy(id, fields string) string {
	return fmt.Sprintf(`%q:{"prompt":"Look around. %s","authorId":"555555555555555555","schedule":"0 7 * * *","channel":"222222222222222222"%s}`, id, id, fields)
}

func TestAnImportedJobKeepsWhatItIs(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		all := legacy("cron-0a", `,"timezone":"Asia/Kathmandu","model":"fast","modelOverride":"deep","purposeTags":["report"],"allowedActions":["sendMessage"],
			"chain":["cron-0b"],"silent":true,"routingMode":"json","state":{"n": 1},"runCount":3,"lastRunAt":"1999-12-31T07:00:00Z","lastRunStatus":"error","lastErrorMessage":"no","disabled":false`)
		done := b.importing(all, legacy("cron-0b", `,"triggerType":"manual"`))
		if done.Taken != 2 || done.Known+len(done.Mend)+len(done.Left) != 0 {
			t.Errorf("%+v", done)
		}
		want := cron.Job{
			ID: "cron-0a", Guild: "1", Author: "555555555555555555", State: []byte(`{"n":1}`), Paused: true, Runs: 3,
			LastRun: time.Date(1999, 12, 31, 7, 0, 0, 0, time.UTC), Last: cron.Failed, Error: "no", Dedupe: "import/cron-0a",
			Definition: cron.Definition{
				Name: "Look around. cron-0a", Trigger: cron.BySchedule, Schedule: "0 7 * * *", Zone: "Asia/Kathmandu", Channel: "222222222222222222", ChannelName: "222222222222222222",
				Prompt: "Look around. cron-0a", Model: "deep", Tags: []string{"report"}, Allowed: []string{"sendMessage"}, Chain: []string{"cron-0b"}, Routes: true, Silent: true, Missed: cron.Once,
			},
		}
		if diff := gocmp.Diff(want, b.load(want), cmpopts.IgnoreUnexported(cron.Job{}), cmpopts.IgnoreFields(cron.Job{}, "Created", "Updated")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		b.during(48 * time.Hour)
		b.require() // until they are resumed
		b.change(want, paused(false))
		b.during(24 * time.Hour)
		b.require("03 01:15:00 Look around. cron-0a slot 03 01:15")
		b.change(want, func(j *cron.Job) error { j.Name = "Rounds"; return nil })
		if again := b.importing(all); again.Taken != 0 || again.Known != 1 || b.load(want).Name != "Rounds" {
			t.Errorf("the second time: %+v, %s", again, b.load(want).Name)
		}
	})
}

func TestWhatAnImportLeavesOut(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		own := b.job("mine") // is cron-00000001
		done := b.importing(
			legacy(own.ID, ""),
			legacy("cron-0a", `,"allowedActions":["deleteAll","look"],"chain":["cron-0b"]`),
			legacy("cron-0b", `,"chain":["cron-0c"]`), legacy("cron-0c", `,"chain":["cron-0a"]`), // a circle
			legacy("cron-0d", `,"allowedActions":["deleteAll"]`),
			legacy("cron-0e", `,"authorId":"999999999999999999"`),
			legacy("cron-0f", `,"state":{"x":"`+strings.Repeat("x", cron.MaxState)+`"}`),
		)
		if diff := gocmp.Diff(cron.Imported{
			Taken: 4,
			Mend: []string{
				"cron-0c: cron-0a, which followed it, is not here or leads back to it",
				"cron-0a: it may no longer run deleteAll, which needs approval; change allowedActions to be asked for it",
				"cron-0f: what it has kept was not taken: it has 65544 bytes, and may have at most 65536",
			},
			Left: []string{
				"cron-00000001: another job has that ID here",
				"cron-0d: all actions that it may run need approval, or are unknown here; ask me for it again",
				"cron-0e: no member is its author, and a job has the rights of its author; ask me for it again",
			},
		}, done); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := b.load(cron.Job{ID: "cron-0a"}); len(got.Allowed) != 1 || b.load(own).Name != "mine" {
			t.Errorf("it may run %v; mine is %s", got.Allowed, b.load(own).Name)
		}
	})
}

// TestAnImportMayBeLarge: the limit of jobs of one author is for those who ask for them one by one.
func TestAnImportMayBeLarge(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		var jobs []string
		for i := range cron.MaxOwn + 5 {
			jobs = append(jobs, legacy(fmt.Sprintf("cron-%02x", i), ""))
		}
		if done := b.importing(jobs...); done.Taken != cron.MaxOwn+5 {
			t.Errorf("%+v", done)
		}
	})
}
