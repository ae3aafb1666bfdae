package play

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/discordtest"
)

// A clockSite is a playground whose clock is moved as the page does it.
type clockSite struct {
	*testing.T
	*site
	told func() []record // the turns so far, and those again of which a card has ended
}

// withClock runs f in a playground that you have asked for something.
func withClock(t *testing.T, ask string, f func(clockSite)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour)
		var mu sync.Mutex
		var turns []record
		hear := func(_ string, what any) {
			mu.Lock()
			defer mu.Unlock()
			if r, is := what.(record); is {
				turns = append(turns, r)
			}
		}
		p, err := open(Options{Demo: true, Log: t.Output(), Watch: discordtest.Check(t), Env: map[string]string{"DEFAULT_TIMEZONE": "UTC", "DISCOCLAW_TAINT": "off"}}, hear) // strangers speak there, too
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- p.run(ctx, func(ctx context.Context) error {
				<-ctx.Done()
				return nil
			})
		}()
		<-p.online
		c := clockSite{t, &site{playground: p, publish: func(string, any) {}}, func() []record {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(turns)
		}}
		c.ask(ask)
		f(c)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
}

// ask writes in #general, and returns what the bot says there within ten seconds.
func (c clockSite) ask(text string) string {
	c.Helper()
	before := len(c.world.Messages("general"))
	if _, err := c.world.Say("you", "general", text); err != nil {
		c.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	return c.said(before + 1)
}

// said is what stands in #general from a message on.
func (c clockSite) said(from int) string {
	var all []string
	for _, m := range c.world.Messages("general")[from:] {
		all = append(all, m.Content)
	}
	return strings.Join(all, "\n")
}

// move moves the clock on, and returns what the bot says within ten seconds, and the clock.
func (c clockSite) move(to string) (string, clockRecord) {
	c.Helper()
	before := len(c.world.Messages("general"))
	w := httptest.NewRecorder()
	c.moveClock(w, httptest.NewRequestWithContext(c.Context(), "POST", "/api/clock", strings.NewReader(`{"to":"`+to+`"}`)))
	if w.Code != 200 {
		c.Fatalf("move to %s: %d %s", to, w.Code, w.Body)
	}
	time.Sleep(10 * time.Second)
	w = httptest.NewRecorder()
	c.readClock(w, httptest.NewRequestWithContext(c.Context(), "GET", "/api/clock", nil))
	var got clockRecord
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		c.Fatalf("%s: %v", w.Body, err)
	}
	return c.said(before), got
}

func TestAJobRunsOnTimeWhenTheClockMovesOnToIt(t *testing.T) {
	withClock(t, "every day at 7:00, tell us to water the plants", func(c clockSite) {
		for day := range 3 {
			said, clock := c.move("run")
			if said != "Time to water the plants." {
				t.Errorf("on day %d it says %q", day, said)
			}
			if got := clock.Now.Format("15:04:05"); got != "07:00:10" {
				t.Errorf("on day %d it is %s", day, got)
			}
			if j := clock.Jobs[0]; j.Last == nil || j.Last.Status != "success" || j.Next.Sub(j.Last.Slot) != 24*time.Hour {
				t.Errorf("on day %d: %+v, last %+v", day, j, j.Last)
			}
		}
	})
}

func TestAJobIsLateWhenTheClockMovesOnPastIt(t *testing.T) {
	withClock(t, "every day at 7:00, tell us to water the plants", func(c clockSite) {
		said, clock := c.move("day")
		due := clock.Jobs[0].Last.Slot
		if want := fmt.Sprintf("-# Late: this was due <t:%d:R>.\nTime to water the plants.", due.Unix()); said != want {
			t.Errorf("it says %q, want %q", said, want)
		}
		if late := clock.Jobs[0].Last.Ended.Sub(due); late < 16*time.Hour || late > 18*time.Hour {
			t.Errorf("it is %s late", late)
		}
	})
}

func TestAJobIsLeftOutWhenTheClockMovesOnPastIt(t *testing.T) {
	withClock(t, "every day at 8:00, tell us to get up, but never late", func(c clockSite) {
		said, clock := c.move("day")
		if said != "" {
			t.Errorf("it says %q", said)
		}
		if last := clock.Jobs[0].Last; last == nil || last.Status != "left out" || last.Slot.Hour() != 8 {
			t.Errorf("the last run: %+v", last)
		}
		if shown := c.ask("!cron show get up"); !strings.Contains(shown, "08:00: missed") {
			t.Errorf("it shows %q", shown)
		}
	})
}

// TestWhatHappensLaterGoesByTheClock: otherwise the page would tell wrong times, as it goes by the clock too.
func TestWhatHappensLaterGoesByTheClock(t *testing.T) {
	withClock(t, "!remind 2h stretch", func(c clockSite) {
		if said, _ := c.move("hour"); said != "" {
			t.Errorf("after an hour it says %q", said)
		}
		promised := fmt.Sprintf("<t:%d:f>", c.clock.now().Add(20*time.Second).Unix())
		if said := c.ask("remind me in 20 seconds to blink"); !strings.Contains(said, promised) {
			t.Errorf("it says %q, want %s", said, promised)
		}
		said, _ := c.move("hour")
		if !strings.Contains(said, "reminder: stretch") || !strings.Contains(said, "reminder: blink") {
			t.Errorf("after two hours it says %q", said)
		}
		expires := fmt.Sprintf("Expires <t:%d:R>", c.clock.now().Add(10*time.Minute).Unix())
		if said := c.ask("delete #random"); !strings.Contains(said, expires) {
			t.Errorf("it says %q, want %s", said, expires)
		}
		c.move("hour")
		if text := c.said(0); !strings.Contains(text, "Nobody answered") {
			t.Errorf("the card is still open: %s", text)
		}
		if began := fmt.Sprintf("<t:%d:R>", c.clock.now().Unix()); !strings.Contains(c.ask("hello")+c.ask("!trace"), began) {
			t.Errorf("!trace says nothing of %s: %s", began, c.said(0))
		}
		c.ask("!task new Rest due:" + c.clock.now().AddDate(0, 0, 1).Format(time.DateOnly))
		c.move("day")
		c.move("day")
		if text := c.world.Transcript(); !strings.Contains(text, "this task is due.") && !strings.Contains(text, "This task is due.") {
			t.Errorf("no word of the task: %s", text)
		}
	})
}

// TestTheClockNeverMovesBack, and what was said before a move keeps its time.
func TestTheClockNeverMovesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clock
		began := time.Now()
		c.move(func(now time.Time) time.Time { return now.Add(-time.Hour) })
		if got := c.now(); !got.Equal(began) {
			t.Errorf("it shows %s at %s", got, began)
		}
		time.Sleep(time.Minute)
		c.move(func(now time.Time) time.Time { return now.Add(time.Hour) })
		c.move(func(now time.Time) time.Time { return now })
		c.move(func(now time.Time) time.Time { return now.Add(time.Hour) })
		time.Sleep(time.Second)
		for _, tt := range []struct{ after, ahead time.Duration }{{0, 0}, {time.Minute - 1, 0}, {time.Minute, 2 * time.Hour}, {time.Hour, 2 * time.Hour}} {
			if got := c.shown(began.Add(tt.after)).Sub(began.Add(tt.after)); got != tt.ahead {
				t.Errorf("after %s it was %s ahead, want %s", tt.after, got, tt.ahead)
			}
		}
	})
}

// TestTheRecordOfATurnSaysHowItsCardEnded, here because nobody answered.
func TestTheRecordOfATurnSaysHowItsCardEnded(t *testing.T) {
	withClock(t, "delete #random", func(c clockSite) {
		if a := last(c).Rounds[0].Actions; len(a) == 0 || a[len(a)-1].Verdict != "held" {
			t.Errorf("before it ends: %+v", last(c))
		}
		turn := last(c).Turn
		c.move("hour")
		r := last(c)
		if !r.Decided || r.Turn != turn || len(r.Rounds[0].Actions) == 0 {
			t.Fatalf("after it has ended: %+v", r)
		}
		if a := r.Rounds[0].Actions; a[len(a)-1].Verdict != "dropped" || a[len(a)-1].End != "expired, since nobody answered" {
			t.Errorf("after it has ended: %+v", r)
		}
		c.ask("what is 6 * 7?")
		if r := last(c); r.Decided || r.Kind != "message" || r.Began.Before(c.clock.now().Add(-time.Minute)) {
			t.Errorf("a turn after the clock was moved: %+v", r)
		}
	})
}

// last is the turn that was told last.
func last(c clockSite) record {
	c.Helper()
	all := c.told()
	if len(all) == 0 {
		c.Fatal("there was no turn")
	}
	return all[len(all)-1]
}
