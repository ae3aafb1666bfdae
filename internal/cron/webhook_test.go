package cron_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/cron"
	"discoclaw/internal/store"
)

func archived(yes bool) func(*cron.Job) error {
	return func(j *cron.Job) error { j.Archived = yes; return nil }
}

func byWebhook(j *cron.Job) { j.Trigger, j.Schedule = cron.ByWebhook, "" }

// call calls the webhook of a job. The body stands for its signature as well.
func (b *bench) call(j cron.Job, body string) error {
	b.t.Helper()
	err := b.Call(b.t.Context(), j.ID, []byte(body), body)
	synctest.Wait()
	return err
}

// bodies returns what the runs that have begun were called with, as far as that is kept.
func (b *bench) bodies() (all []string) {
	b.t.Helper()
	for _, f := range b.begun {
		body, err := b.Body(b.t.Context(), f)
		b.must(err)
		all = append(all, body)
	}
	return all
}

func (b *bench) waiting(j cron.Job, want int) {
	b.t.Helper()
	if n, err := b.Waiting(b.t.Context(), j.ID); err != nil || n != want {
		b.t.Errorf("%d calls wait, want %d: %v", n, want, err)
	}
}

// TestCallsOfAWebhookRunOneByOne, in their order, also if they come in the same moment, and a run that was asked for is besides them.
func TestCallsOfAWebhookRunOneByOne(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j, other := b.job("deploy", byWebhook), b.job("other", byWebhook)
		b.slow = true
		defer b.run()()
		for _, body := range []string{"first", "second", "third"} {
			b.must(b.call(j, body))
		}
		b.must(b.call(other, "first"))
		b.trigger(j, "")
		b.require("01 00:00:00 deploy webhook 01 00:00", "01 00:00:00 other webhook 01 00:00")
		if got := fmt.Sprint(b.bodies()); got != "[first first]" {
			t.Errorf("the runs have %s", got)
		}
		b.waiting(j, 2)
		b.end(b.begun[0], cron.Outcome{})
		synctest.Wait()
		b.finish(cron.Outcome{}) // the one that was asked for
		b.finish(cron.Outcome{Status: cron.Failed})
		b.finish(cron.Outcome{})
		b.require("01 00:00:00 deploy manual 01 00:00", "01 00:00:00 deploy webhook 01 00:00", "01 00:00:00 deploy webhook 01 00:00")
		if got := fmt.Sprintf("%q", b.bodies()); got != `["" "first" "" "" ""]` {
			t.Errorf("%s are kept", got)
		}
		if got := b.load(j); got.Runs != 4 {
			t.Errorf("%d runs are recorded", got.Runs)
		}
	})
}

// TestACallSurvivesAKill before its claim, in it and after it, and runs once.
func TestACallSurvivesAKill(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"before the claim", "in the claim", "after the claim"} {
		t.Run(how, func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				j := b.job("deploy", byWebhook)
				stop := func() {}
				switch how {
				case "in the claim":
					b.dies = func() error { return errors.New("killed") }
					stop = b.run()
				case "after the claim":
					b.slow = true
					stop = b.run()
				}
				b.must(b.call(j, "one"))
				b.must(b.call(j, "two"))
				stop()
				b.must(b.db.Close())
				b.dies, b.slow = nil, false
				b.open()
				if how == "after the claim" { // the next process resumes it
					if got := fmt.Sprint(b.bodies()); got != "[one]" {
						t.Errorf("the run has %s", got)
					}
					b.finish(cron.Outcome{})
				}
				b.during(time.Hour)
				b.require("01 00:00:00 deploy webhook 01 00:00", "01 00:00:00 deploy webhook 01 00:00")
				if got := b.load(j); got.Runs != 2 {
					t.Errorf("%d runs are recorded", got.Runs)
				}
			})
		})
	}
}

func TestARepeatedCallIsRefusedForADay(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j, other := b.job("deploy", byWebhook), b.job("other", byWebhook)
		repeat := func() { b.refuses(b.call(j, "x"), cron.ErrRepeated.Error()) }
		b.must(b.call(j, "x"))
		repeat() // while it waits
		b.must(b.call(other, "x"))
		b.during(time.Second)
		repeat() // when it is over
		b.pass(24*time.Hour - time.Second)
		b.must(b.db.Prune(t.Context()))
		repeat()
		b.pass(time.Second)
		b.must(b.call(j, "x"))
		b.pass(48 * time.Hour)
		b.must(b.db.Prune(t.Context())) // what waits is kept, however old
		repeat()
		b.runs = nil
		b.during(0)
		b.require("04 00:00:01 deploy webhook 02 00:00")
	})
}

func TestTooManyCallsAreRefused(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		full := func(j cron.Job) int {
			for n := range 1000 {
				if n%20 == 0 {
					b.pass(2 * time.Minute) // no more may be made in that time
				}
				if err := b.call(j, fmt.Sprint(n)); err != nil {
					b.refuses(err, cron.ErrTooMany.Error())
					return n
				}
			}
			return -1
		}
		for range 4 {
			if n := full(b.job("job", byWebhook)); n != 100 {
				t.Fatalf("%d calls wait", n)
			}
		}
		last := b.job("last", byWebhook)
		if n := full(last); n != 0 {
			t.Errorf("%d calls wait beyond all others", n)
		}
		b.during(0)
		b.must(b.call(last, "0")) // it was not stored when it was refused
	})
}

func TestCallsHaveARate(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j, other := b.job("deploy", byWebhook), b.job("other", byWebhook)
		for n := range 40 {
			if n == 20 {
				b.during(2*time.Minute - time.Second) // calls count when they are over, too
				b.refuses(b.call(j, "20"), cron.ErrTooOften.Error())
				b.must(b.call(other, "20"))
				b.pass(time.Second)
			}
			b.must(b.call(j, fmt.Sprint(n)))
		}
		b.refuses(b.call(j, "40"), cron.ErrTooOften.Error())
		b.refuses(b.call(j, "39"), cron.ErrRepeated.Error())
	})
}

// TestAJobThatTakesNoCalls drops those that wait, when it is paused, begun by something else, or deleted. None is made up for.
func TestAJobThatTakesNoCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(b *bench, j cron.Job)
		back   func(*cron.Job) error
		want   error
	}{
		{"paused", func(b *bench, j cron.Job) { b.change(j, paused(true)) }, paused(false), cron.ErrPaused},
		{"archived", func(b *bench, j cron.Job) { b.change(j, archived(true)) }, archived(false), cron.ErrPaused},
		{"by hand", func(b *bench, j cron.Job) {
			b.change(j, func(j *cron.Job) error { j.Trigger = cron.ByHand; return nil })
		},
			func(j *cron.Job) error { j.Trigger = cron.ByWebhook; return nil }, cron.ErrNotFound},
		{"deleted", func(b *bench, j cron.Job) { _, err := b.Delete(b.t.Context(), j.Guild, j.ID); b.must(err) }, nil, cron.ErrNotFound},
		{"erased", func(b *bench, j cron.Job) { _, err := b.db.Erase(b.t.Context(), string(j.Author)); b.must(err) }, nil, cron.ErrNotFound},
		{"restored", func(b *bench, _ cron.Job) { b.must(b.db.Adopt(b.t.Context())) }, paused(false), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				j := b.job("deploy", byWebhook)
				secret, err := b.Secret(t.Context(), j.ID)
				b.must(err)
				b.must(b.call(j, "one"))
				tt.change(b, j)
				if err := b.call(j, "two"); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
					t.Errorf("err = %v, want %v", err, tt.want)
				}
				if tt.want != nil {
					b.waiting(j, 0)
				}
				if tt.back != nil {
					b.change(j, tt.back)
					b.must(b.call(j, "three"))
					if again, err := b.Secret(t.Context(), j.ID); err != nil || again != secret {
						t.Errorf("it has another secret: %v", err)
					}
				}
				b.during(time.Hour)
				if got := len(b.begun); tt.back == nil && got > 0 || tt.back != nil && tt.want != nil && got != 1 || tt.want == nil && got != 2 {
					t.Errorf("%d runs: %q", got, b.runs)
				}
				var bodies int
				b.must(b.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM cron_calls WHERE body <> ''").Scan(&bodies))
				if bodies > 0 {
					t.Errorf("%d bodies are kept", bodies)
				}
			})
		})
	}
}

// TestACallThatIsDroppedAfterItsDelivery is not claimed any more.
func TestACallThatIsDroppedAfterItsDelivery(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("deploy", byWebhook)
		b.holds = true
		defer b.run()()
		b.must(b.call(j, "one"))
		b.change(j, paused(true))
		b.change(j, paused(false))
		if len(b.offered) != 1 || b.claim(t.Context(), b.Engine, b.offered[0]) {
			t.Errorf("%d runs were delivered, and one is claimed", len(b.offered))
		}
	})
}

func TestSecrets(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		timed := b.job("news")
		if _, err := b.Secret(t.Context(), timed.ID); !errors.Is(err, cron.ErrNotFound) {
			t.Errorf("a job with a schedule has a webhook: %v", err)
		}
		if _, err := b.RenewSecret(t.Context(), timed.ID); !errors.Is(err, cron.ErrNotFound) {
			t.Errorf("a job with a schedule gets a secret: %v", err)
		}
		one, two := b.job("one", byWebhook), b.job("two", byWebhook)
		seen := map[string]bool{}
		for _, j := range []cron.Job{one, two} {
			secret, err := b.Secret(t.Context(), j.ID)
			b.must(err)
			seen[secret] = true
		}
		renewed, err := b.RenewSecret(t.Context(), one.ID)
		b.must(err)
		if now, err := b.Secret(t.Context(), one.ID); err != nil || now != renewed {
			t.Errorf("the new secret is not the secret: %v", err)
		}
		seen[renewed] = true
		for secret := range seen {
			if len(secret) != 64 {
				t.Errorf("a secret has %d characters", len(secret))
			}
		}
		if len(seen) != 3 {
			t.Errorf("%d different secrets", len(seen))
		}
		all, err := b.db.Export(t.Context(), string(one.Author))
		b.must(err)
		for secret := range seen {
			if text := fmt.Sprint(all, b.load(one)); len(all["crons"]) != 3 || strings.Contains(text, secret) {
				t.Error("a secret is exported, or in the job")
			}
		}
	})
}

// TestACallThatCannotBeWritten is not accepted.
func TestACallThatCannotBeWritten(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("deploy", byWebhook)
		b.must(b.db.Tx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.ExecContext(t.Context(), "CREATE TRIGGER full BEFORE INSERT ON cron_calls BEGIN SELECT RAISE(FAIL, 'full'); END")
			return err
		}))
		if err := b.call(j, "x"); err == nil {
			t.Error("it is accepted")
		}
		b.waiting(j, 0)
	})
}
