package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"discoclaw/internal/test/chaos"
)

// A planPoint is a moment of the story of a plan at which the process is killed.
type planPoint struct {
	step, when string
	half       half

	change   string        // of the database, as in "update plans 1"
	post     string        // to Discord; see postOf
	question string        // to a model; see planRig.answer
	command  string        // that the bot runs, as in "git update-ref 1"
	delay    time.Duration // since the process was online
}

// planPoints are all steps of the story, in their order within each kind.
func planPoints() (list []planPoint) {
	both := func(p planPoint) {
		for _, p.when = range []string{"before", "after"} {
			list = append(list, p)
		}
	}
	for _, h := range []half{forgeHalf, runHalf} {
		for _, name := range questionsOf(h) {
			both(planPoint{step: "model: " + name, half: h, question: name})
		}
		for _, name := range []string{fmt.Sprintf("progress of the %s posted", h), "progress shown", fmt.Sprintf("end of the %s shown", h)} {
			both(planPoint{step: fmt.Sprintf("Discord: %s (%s)", name, h), half: h, post: name})
		}
		for _, c := range changesOf(h) {
			both(planPoint{step: fmt.Sprintf("database: %s (%s)", c[0], h), half: h, change: c[1]})
		}
	}
	both(planPoint{step: "Discord: card posted", half: forgeHalf, post: "card posted"})
	for _, c := range []string{
		"git worktree 1", "git reset 1", "git clean 1", "git reset 2", "git update-index 3", "git write-tree 2",
		"git commit-tree 1", "git update-ref 1", "git reset 3", "git clean 3", "git commit-tree 2", "git update-ref 2", "git commit-tree 3", "git update-ref 3",
		"check 1", "check 2", "check 3", "check 4", "check 5",
	} {
		both(planPoint{step: "command: " + c, half: runHalf, command: c})
	}
	return list
}

// changesOf are the changes of the database in a half of the story, with what they mean.
func changesOf(h half) [][2]string {
	list := [][2]string{
		{"attempt counted", "update plan_work 1"}, {"outbox write of the progress", "insert posts 1"}, {"acknowledgement of the progress", "update posts 1"},
		{"message of the progress noted", "update plan_work 2"},
	}
	if h == forgeHalf {
		return append(list, [][2]string{
			{"draft", "update plan_work 3"}, {"file of the draft noted", "update plans 2"}, {"audit of the draft", "update plan_work 4"},
			{"revision", "update plan_work 5"}, {"audit of the revision", "update plan_work 6"}, {"outbox write of the card", "insert posts 2"},
			{"acknowledgement of the card", "update posts 2"}, {"forge over", "update plan_work 7"}, {"end noted as told", "update plan_work 8"},
		}...)
	}
	for n := range 3 {
		for i, what := range []string{"begun", "passed", "done"} {
			list = append(list, [2]string{fmt.Sprintf("phase %d %s", n+1, what), fmt.Sprint("update plan_work ", 3+3*n+i)})
		}
	}
	return append(list, [2]string{"plan closed", "update plan_work 12"}, [2]string{"task closed", "update tasks 1"}, [2]string{"file of the closed plan noted", "update plans 20"}, [2]string{"end noted as told", "update plan_work 13"})
}

// chosen are the points of the short version.
func chosen(list []planPoint) []planPoint {
	return slices.DeleteFunc(list, func(p planPoint) bool {
		return !slices.Contains([]string{
			"after Discord: card posted", "after model: phase 2: implement, after its tool", "before Discord: end of the run shown (run)",
			"after command: git update-ref 2", "after database: plan (asked for the forge)",
		}, p.when+" "+p.step)
	})
}

// randomPoints are moments that chance chooses, with the seed that brings them back.
func randomPoints(seed uint64, n int) (list []planPoint) {
	chance := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		p := planPoint{step: fmt.Sprint("by chance ", i+1), when: "at a moment", half: forgeHalf, delay: time.Duration(chance.Int64N(int64(1500*time.Millisecond))) + 1}
		if i%3 > 0 {
			p.half, p.delay = runHalf, 3*p.delay
		}
		list = append(list, p)
	}
	return list
}

// TestAPlanThatIsKilledLosesAndDoublesNothing kills the bot at each step of the work on a plan: drafting, auditing and revising it, and
// carrying it out. The next process goes on, and all ends as it does without a kill.
func TestAPlanThatIsKilledLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	skipMoments(t)
	points, asked := planPoints(), askedPoints()
	if chaos.Full() {
		seed := rand.Uint64()
		t.Logf("the seed of the moments by chance is %d", seed)
		points = append(points, randomPoints(seed, chaos.Runs(0, 60))...)
	} else {
		points, asked = chosen(points), chosen(asked)
	}
	results := playAll(t, "asked for", asked, (*planRig).playAsked)
	results = append(results, playAll(t, "at work", points, (*planRig).play)...)
	publishPlans(t, results)
}

// A planResult is how a story with a kill has ended.
type planResult struct {
	planPoint
	end, want ending
}

// playAll plays a story without a kill, and then with one at each point. All have to end alike.
func playAll(t *testing.T, name string, points []planPoint, play func(*planRig, *testing.T, planPoint)) []planResult {
	t.Helper()
	list := make([]planResult, len(points))
	var want ending
	t.Run(name+", not killed", func(t *testing.T) {
		r := newPlanRig(t)
		play(r, t, planPoint{})
		if want = r.ending(t); want.isBad(want) || len(want.commits) != 3 {
			t.Fatalf("%+v\n%s", want, r.world.Transcript())
		}
	})
	t.Run(name, func(t *testing.T) {
		for i, p := range points {
			t.Run(p.when+" "+p.step, func(t *testing.T) {
				t.Parallel()
				r := newPlanRig(t)
				play(r, t, p)
				list[i] = planResult{p, r.ending(t), want}
				if list[i].end.isBad(want) {
					t.Errorf("%s\n%s\n%s", list[i].end.compared(want), r.world.Transcript(), &r.errs)
				}
			})
		}
	})
	return list
}

// publishPlans publishes the sum.
func publishPlans(t *testing.T, results []planResult) {
	t.Helper()
	var sum planTally
	for _, r := range results {
		sum.add(r)
	}
	chaos.Publish(t, chaos.Plans, chaos.Table{Summary: fmt.Sprintf("%d kills. %d plans closed, and %d of %d phases with exactly one commit. Commits lost or doubled: %d. Plans, tasks, cards and messages lost or doubled: %d. Questions about finished phases or steps: %d.",
		sum.kills, sum.closed, sum.commits, sum.phases, sum.strayCommits, sum.stray, sum.again)})
}

// A planTally counts the results of some stories.
type planTally struct{ kills, closed, phases, commits, strayCommits, stray, again int }

func (n *planTally) add(r planResult) {
	e, want := r.end, r.want
	n.kills++
	if e.status == want.status && e.task == want.task {
		n.closed++
	}
	n.phases += len(want.commits)
	for _, c := range want.commits {
		if slices.Contains(e.commits, c) {
			n.commits++
		}
	}
	n.strayCommits += distance(e.commits, want.commits)
	n.stray += distance(e.things, want.things)
	n.again += len(e.wrong)
}

// distance is how many entries of two lists are not in the other one, or more often.
func distance(a, b []string) (n int) {
	counts := map[string]int{}
	for _, s := range a {
		counts[s]++
	}
	for _, s := range b {
		counts[s]--
	}
	for _, c := range counts {
		n += max(c, -c)
	}
	return n
}
