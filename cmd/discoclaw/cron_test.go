package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/store"
	"discoclaw/internal/test/chaos"
)

// cronKillPoints are all steps of a run of a scheduled job, from when it is due until it is settled, in their order.
func cronKillPoints() []killPoint {
	return beforeAndAfter(
		[]killPoint{
			{step: "slot claimed", change: "update crons 1"},
			{step: "inbox write", change: "insert inbox 1"},
			{step: "turn begun", change: "update inbox 1"},
		},
		thinking,
		[]killPoint{
			{step: "outbox write", change: "insert posts 2"}, // the first is that of sendMessage
			{step: "POST", request: "POST .*/channels/{general}/messages"},
			{step: "acknowledgement", change: "update posts 2"},
			{step: "run recorded", change: "insert cron_runs 1"},
			{step: "next job of the chain queued", change: "update crons 3"},
			{step: "inbox settled", change: "update inbox 2"},
		},
	)
}

// TestACronRunThatIsKilledLosesAndDoublesNothing kills the bot before and after each step of a run of a scheduled job. The next
// process resumes it, and runs the job that follows it, once.
func TestACronRunThatIsKilledLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	skipMoments(t)
	killAtEach(t, cronKillPoints(), killPoint.killCron, chaos.Crons, "runs")
}

// killCron kills the process at that point in each run, and returns the tally.
func (b killPoint) killCron(t *testing.T) tally {
	s := newKillRig(t)
	kills := chaos.Runs(1, 20)
	for n := range kills {
		s.leave(t)
		s.scheduleJob(t, n)
		s.order(t, b)
		s.launch(t)
		s.watch()
		s.awaitEnd(t)
		s.launch(t)
		s.online(t)
		s.watch()
		s.awaits(func() bool { return len(s.answersIn(n, "")) > 0 && s.chained() > n })
	}
	s.leave(t) // so that no request is in flight
	sum := s.count(make([]chat.MessageID, kills))
	sum.kills = kills
	sum.lost += max(0, kills-s.chained())
	sum.doubled += max(0, s.chained()-kills)
	if sum.isBad(b.doubtful() * kills) {
		t.Errorf("%+v, %d runs of the next job\n%s\n%s", sum, s.chained(), s.world.Transcript(), &s.errs)
	}
	return sum
}

// scheduleJob stores a job, as an earlier process would have, that was due five minutes ago and is again in a year, and another one that follows it.
func (s *killRig) scheduleJob(t *testing.T, run int) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(data(t, s.process), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	due := time.Now().UTC().Truncate(time.Minute).Add(-5 * time.Minute)
	engine := cron.New(db, cron.Options{Zone: time.UTC, Now: func() time.Time { return due.Add(-time.Second) }})
	over, err := engine.List(t.Context(), s.world.GuildID())
	for _, j := range over { // an author can have so many jobs
		if err == nil && j.Runs > 0 {
			_, err = engine.Delete(t.Context(), j.Guild, j.ID)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	job := func(channel string, d cron.Definition) cron.Job {
		d.Channel, d.ChannelName = s.world.ChannelID(channel), channel
		j, err := engine.Create(t.Context(), cron.Job{Guild: s.world.GuildID(), Author: s.world.UserID("ada"), Definition: d})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	next := job("ops", cron.Definition{Name: "next", Trigger: cron.ByHand, Prompt: "go on"})
	job("general", cron.Definition{Name: "first", Schedule: fmt.Sprintf("%d %d %d %d *", due.Minute(), due.Hour(), due.Day(), due.Month()),
		Prompt: fmt.Sprint("run ", run), Chain: []string{next.ID}})
}

// chained counts the answers of the jobs that follow.
func (s *killRig) chained() (n int) {
	for _, m := range s.world.Messages("ops") {
		if m.Content == nothingToAdd {
			n++
		}
	}
	return n
}
