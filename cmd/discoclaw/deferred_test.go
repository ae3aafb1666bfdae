package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/deferral"
	"discoclaw/internal/store"
	"discoclaw/internal/test/chaos"
)

// deferredKillPoints are all steps of a deferred run, from when it is due until it is
// settled, in their order.
func deferredKillPoints() []killPoint {
	return beforeAndAfter(
		[]killPoint{
			{step: "job taken", change: "delete deferrals 1"},
			{step: "inbox write", change: "insert inbox 1"},
			{step: "turn begun", change: "update inbox 1"},
		},
		thinking,
		[]killPoint{
			{step: "outbox write", change: "insert posts 2"}, // the first is that of sendMessage
			{step: "POST", request: "POST .*/channels/{general}/messages"},
			{step: "acknowledgement", change: "update posts 2"},
			{step: "inbox settled", change: "update inbox 2"},
		},
	)
}

// TestADeferredRunThatIsKilledLosesAndDoublesNothing kills the bot before and after each step
// of a deferred run. The next process resumes it, and reports actions with unknown outcome.
func TestADeferredRunThatIsKilledLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	skipMoments(t)
	killAtEach(t, deferredKillPoints(), killPoint.killDeferred, chaos.Deferred, "deferred runs")
}

// killDeferred kills the process at that point in each run, and returns the tally.
func (b killPoint) killDeferred(t *testing.T) tally {
	s := newKillRig(t)
	kills := chaos.Runs(1, 20)
	for n := range kills {
		s.leave(t)
		s.schedule(t, n)
		s.order(t, b)
		s.launch(t)
		s.watch()
		s.awaitEnd(t)
		s.launch(t)
		s.online(t)
		s.watch()
		s.awaits(func() bool { return len(s.answersIn(n, "")) > 0 })
	}
	s.leave(t) // so that no request is in flight
	sum := s.count(make([]chat.MessageID, kills))
	sum.kills = kills
	if sum.isBad(b.doubtful() * kills) {
		t.Errorf("%+v\n%s\n%s", sum, s.world.Transcript(), &s.errs)
	}
	return sum
}

// schedule stores a job that is due at once, as an earlier process would have.
func (s *killRig) schedule(t *testing.T, run int) {
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
