package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chaos"
	"discoclaw/internal/deferral"
	"discoclaw/internal/store"
)

// deferredBlows are all steps of a deferred run, from its time on until it is over, in their
// order.
func deferredBlows() []blow {
	return beforeAndAfter(
		[]blow{
			{step: "job taken", change: "delete deferrals 1"},
			{step: "inbox write", change: "insert inbox 1"},
			{step: "turn begun", change: "update inbox 1"},
			{step: "checks passed", change: "update inbox 2"},
		},
		thinking,
		[]blow{
			{step: "outbox write", change: "insert posts 2"}, // the first is that of sendMessage
			{step: "POST", request: "POST .*/channels/{general}/messages"},
			{step: "acknowledgement", change: "update posts 2"},
			{step: "inbox settled", change: "update inbox 3"},
		},
	)
}

// TestADeferredRunThatIsKilledLosesAndDoublesNothing kills the bot before and after each step
// of a deferred run. The next process goes on with it; what it cannot know to be done, it says.
func TestADeferredRunThatIsKilledLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	skipMoments(t)
	for _, b := range deferredBlows() {
		t.Run(b.when+" "+b.step, func(t *testing.T) {
			t.Parallel()
			s := newScaffold(t)
			runs := chaos.Runs(1, 20)
			for n := range runs {
				s.leave(t)
				s.schedule(t, n)
				s.order(t, b)
				s.launch(t)
				s.watch()
				s.awaitEnd(t)
				s.launch(t)
				s.online(t)
				s.watch()
				s.awaits(func() bool { answers, _ := s.posted(); return answers > n })
			}
			s.leave(t) // so that nothing is still on its way
			s.checkDeferred(t, runs)
		})
	}
}

// schedule leaves a job behind that is due at once, as an earlier process would have.
func (s *scaffold) schedule(t *testing.T, run int) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(data(t, s.process), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	job := deferral.Job{
		Guild: s.world.GuildID(), Channel: s.world.ChannelID("general"), Name: "general",
		Prompt: fmt.Sprint("run ", run), Requester: s.world.UserID("ada"),
	}
	if _, err := deferral.New(db, deferral.Options{}).Schedule(t.Context(), job, time.Microsecond); err != nil {
		t.Fatal(err)
	}
}

// posted is how many answers of runs stand there, and how many of them say that an action was
// interrupted.
func (s *scaffold) posted() (answers, interrupted int) {
	for _, m := range s.world.Messages("general") {
		if strings.HasPrefix(m.Content, "On it.") {
			answers++
		}
		if strings.Contains(m.Content, "restarted in the middle of it") {
			interrupted++
		}
	}
	return answers, interrupted
}

func (s *scaffold) checkDeferred(t *testing.T, runs int) {
	t.Helper()
	answers, told := s.posted()
	if answers != runs {
		t.Errorf("%d runs have %d answers", runs, answers)
	}
	missing := 0
	for n := range runs {
		pings, channels := s.effects(n)
		if pings != 1 || channels > 1 {
			t.Errorf("the actions of run %d were done %d and %d times", n, pings, channels)
		}
		missing += 1 - channels
		s.mu.Lock()
		asked := s.asked[fmt.Sprint(n)]
		s.mu.Unlock()
		if asked > 2 {
			t.Errorf("the model was asked %d times about run %d", asked, n)
		}
	}
	if missing > told {
		t.Errorf("%d actions were lost, and %d are said to be interrupted", missing, told)
	}
	if t.Failed() {
		t.Logf("%s\n%s", s.world.Transcript(), &s.errs)
	}
}
