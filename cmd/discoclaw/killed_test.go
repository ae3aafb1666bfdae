package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/skip"
)

// A killPoint is a moment in the work on a message at which the process is killed: at a
// change of its database, or at a request that it makes.
type killPoint struct {
	step, when string
	change     string // as in "insert inbox 1"
	request    string // as in "POST .*/messages"
}

// killPoints are all steps from receiving a message to settling it, in their order.
func killPoints() []killPoint {
	return beforeAndAfter(
		[]killPoint{
			{step: "inbox write", change: "insert inbox 1"},
			{step: "turn begun", change: "update inbox 1"},
			{step: "outbox write", change: "insert posts 1"},
			{step: "POST", request: "POST .*/channels/{general}/messages"},
			{step: "acknowledgement", change: "update posts 1"},
		},
		thinking,
		[]killPoint{
			{step: "PATCH", request: "PATCH .*/channels/{general}/messages/.*"},
			{step: "inbox settled", change: "update inbox 2"},
		},
	)
}

// thinking are the steps from asking the model to the result of its last action.
var thinking = []killPoint{
	{step: "model call", request: "POST /v1/chat/completions"},
	{step: "answer write", change: "insert rounds 1"},
	{step: "action write (sendMessage)", change: "insert steps 1"},
	{step: "action (sendMessage)", request: "POST .*/channels/{ops}/messages"},
	{step: "action result (sendMessage)", change: "update steps 1"},
	{step: "action write (channelCreate)", change: "insert steps 2"},
	{step: "action (channelCreate)", request: "POST .*/guilds/.*/channels"},
	{step: "action result (channelCreate)", change: "update steps 2"},
}

// beforeAndAfter is a killPoint on both sides of each step.
func beforeAndAfter(steps ...[]killPoint) (list []killPoint) {
	for _, b := range slices.Concat(steps...) {
		for _, b.when = range []string{"before", "after"} {
			list = append(list, b)
		}
	}
	return list
}

// A killRig runs a process that is killed and restarted many times.
type killRig struct {
	*process
	orders orders
	begun  bool          // a process was online before
	ended  chan struct{} // closed when the process has ended

	mu    sync.Mutex
	at    *killPoint     // the request at which to kill the process; may be nil
	asked map[string]int // how often the model was asked, by run
}

// runOf finds the number of the run in a text.
var runOf = regexp.MustCompile(`run (\d+)`)

func newKillRig(t *testing.T, settings ...string) *killRig {
	t.Helper()
	s := &killRig{orders: orders(t.TempDir()), asked: map[string]int{}}
	s.process = startBehind(t, self(t), s.guard, append(settings, ordersIn+"="+string(s.orders),
		"DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1", "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0")...)
	s.model.Always(s.answer)
	s.online(t)
	s.watch()
	return s
}

// watch closes ended when the process has ended.
func (s *killRig) watch() {
	cmd, ended := s.cmd, make(chan struct{})
	s.ended = ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it was killed
	}()
}

// nothingToAdd is the model's answer to the report of an interrupted action.
const nothingToAdd = "I see."

// answer is the model's answer in a run: text, an action that Discord dedupes when it is
// repeated (by nonce), and one that it does not. To the report of an interrupted action it
// has nothing to add.
func (s *killRig) answer(x *llmtest.Exchange) {
	found := runOf.FindStringSubmatch(x.Request.Messages[len(x.Request.Messages)-1].Content)
	if found == nil {
		llmtest.Text(nothingToAdd)(x)
		return
	}
	n := found[1]
	s.mu.Lock()
	s.asked[n]++
	s.mu.Unlock()
	llmtest.Text(fmt.Sprintf("On it (%s).", n), fmt.Sprintf(`<discord-action>{"type":"sendMessage","channel":"ops","content":"ping %s"}</discord-action>`, n),
		fmt.Sprintf(`<discord-action>{"type":"channelCreate","name":"new-%s"}</discord-action>`, n))(x)
}

// guard stands before Discord and the model. It kills the process at the killPoint's
// request, before or after that is carried out, and aborts all requests of a process that
// is about to kill itself.
func (s *killRig) guard(p *process, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.orders.isDying() {
			panic(http.ErrAbortHandler)
		}
		b := s.killAt(p, r)
		switch {
		case b == nil:
			next.ServeHTTP(w, r)
			return
		case b.when == "after":
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		p.killNow()
		panic(http.ErrAbortHandler) // without an answer
	})
}

// killAt returns the killPoint that a request matches, once.
func (s *killRig) killAt(p *process, r *http.Request) *killPoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		return nil
	}
	names := strings.NewReplacer("{general}", string(p.world.ChannelID("general")), "{ops}", string(p.world.ChannelID("ops")))
	if !regexp.MustCompile("^" + names.Replace(s.at.request) + "$").MatchString(r.Method + " " + r.URL.Path) {
		return nil
	}
	b := s.at
	s.at = nil
	return b
}

// run has ada write a message, the process killed, and the next one answer.
func (s *killRig) run(t *testing.T, b killPoint, n int) chat.MessageID {
	t.Helper()
	s.order(t, b)
	m := s.world.MustSay("ada", "general", fmt.Sprint("run ", n)).ID
	s.awaitEnd(t)
	s.launch(t)
	s.online(t)
	s.watch()
	s.awaits(func() bool { return s.finished(m) > 0 }) // a missing answer is counted later
	return m
}

// order sets the next killPoint.
func (s *killRig) order(t *testing.T, b killPoint) {
	t.Helper()
	if b.change != "" {
		if err := s.orders.give(b.when + " " + b.change); err != nil {
			t.Fatal(err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = &b
}

// awaitEnd waits until the process was killed, and removes the order.
func (s *killRig) awaitEnd(t *testing.T) {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(long):
		t.Fatalf("it was not killed\n%s\n%s", s.world.Transcript(), &s.errs)
	}
	s.cutOff(t)
	s.orders.withdraw()
}

// A tally counts the results of some runs.
type tally struct {
	kills          int
	runs, answered int // messages or deferred runs, and those with exactly one answer
	asked          int // highest number of model calls for one of them

	actions int // requested
	done    int // of these, carried out exactly once, as the fake Discord shows
	unsure  int // of those done, reported as interrupted
	undone  int // not carried out, and reported as interrupted

	lost    int // missing answers, and actions neither carried out nor reported
	doubled int // answers and actions
	stray   int // other messages of the bot in #general, such as a placeholder that was left behind
}

// count returns the tally of runs, by the messages that they answer. A deferred run answers
// none.
func (s *killRig) count(said []chat.MessageID) tally {
	var sum tally
	for _, m := range s.world.Messages("general") {
		if m.Author == s.world.UserID("bot") && (m.Content != nothingToAdd || !isFinished(m)) {
			sum.stray++
		}
	}
	for run, id := range said {
		s.countRun(&sum, run, s.answersIn(run, id))
	}
	return sum
}

// countRun adds a run with its answers.
func (s *killRig) countRun(sum *tally, run int, answers []string) {
	sum.runs++
	sum.stray -= len(answers)
	switch len(answers) {
	case 0:
		sum.lost++
	case 1:
		sum.answered++
	default:
		sum.doubled += len(answers) - 1
	}
	pings, channels := s.effects(run)
	sum.countAction(pings, isReported(answers, "send a message"))
	sum.countAction(channels, isReported(answers, "create a channel"))
	s.mu.Lock()
	defer s.mu.Unlock()
	sum.asked = max(sum.asked, s.asked[strconv.Itoa(run)])
}

// countAction adds an action that was requested once: how often it was carried out, and whether
// the answer reports it as interrupted.
func (n *tally) countAction(times int, reported bool) {
	n.actions++
	switch {
	case times > 1:
		n.doubled += times - 1
	case times == 1:
		n.done++
		if reported {
			n.unsure++
		}
	case reported:
		n.undone++
	default:
		n.lost++
	}
}

// isReported reports whether an answer has an action as interrupted: "create a channel".
func isReported(answers []string, action string) bool {
	return slices.ContainsFunc(answers, func(text string) bool {
		return strings.Contains(text, "Failed: I was restarted in the middle of it ("+action)
	})
}

// isBad reports whether a promise was broken. Doubtful is how many actions may be
// reported as interrupted, since the kill came where their outcome is unknown.
func (n tally) isBad(doubtful int) bool {
	return n.lost+n.doubled+n.stray > 0 || n.answered != n.runs || n.asked > 2 || n.undone+n.unsure > doubtful
}

// doubtful is how many actions each kill may leave interrupted. A repeated message is
// deduped by its nonce, but a channel that is created again is not.
func (b killPoint) doubtful() int {
	switch b.when + " " + b.step {
	case "after action write (channelCreate)", "before action (channelCreate)", "after action (channelCreate)", "before action result (channelCreate)":
		return 1
	}
	return 0
}

// answersIn returns the answers of a run: replies in their final form that have the
// model's text, maybe a remark that they are late, reports of its actions, and nothing else.
func (s *killRig) answersIn(run int, to chat.MessageID) (list []string) {
	whole := regexp.MustCompile(fmt.Sprintf(`^(-# Late: .*\n)?On it \(%d\)\.\s*(\n(Done|Failed): .*)*$`, run))
	for _, m := range s.replies(to) {
		if isFinished(m) && whole.MatchString(m.Content) {
			list = append(list, m.Content)
		}
	}
	return list
}

// effects counts the executions of the actions of a run.
func (s *killRig) effects(run int) (pings, channels int) {
	for _, m := range s.world.Messages("ops") {
		if m.Content == fmt.Sprint("ping ", run) {
			pings++
		}
	}
	for _, c := range s.world.Channels() {
		if c.Name == fmt.Sprint("new-", run) {
			channels++
		}
	}
	return pings, channels
}

// TestAProcessThatIsKilledLosesAndDoublesNothing kills the bot before and after each step of
// its work on a message. The next process resumes it, and reports actions with unknown outcome.
func TestAProcessThatIsKilledLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	skipMoments(t)
	killAtEach(t, killPoints(), killPoint.killMessage, chaos.Kills, "messages")
}

// killAtEach runs kill for every killPoint, and publishes the sum.
func killAtEach(t *testing.T, list []killPoint, kill func(killPoint, *testing.T) tally, name, what string) {
	t.Helper()
	tallies := make([]tally, len(list))
	t.Run("kills", func(t *testing.T) {
		for i, b := range list {
			t.Run(b.when+" "+b.step, func(t *testing.T) {
				t.Parallel()
				tallies[i] = kill(b, t)
			})
		}
	})
	var sum tally
	for _, n := range tallies {
		sum.add(n)
	}
	chaos.Publish(t, name, chaos.Table{Summary: fmt.Sprintf("%d kills. %s", sum.kills, sum.summary(what))})
}

// skipMoments skips a test of many killPoints under the race detector.
func skipMoments(t *testing.T) {
	t.Helper()
	skip.UnderRace(t, "it is the bot of the tests with one kill each, at many more moments")
}

// killMessage kills the process at that point in each run, and returns the tally.
func (b killPoint) killMessage(t *testing.T) tally {
	s := newKillRig(t)
	var said []chat.MessageID
	for n := range chaos.Runs(1, 20) {
		said = append(said, s.run(t, b, n))
	}
	// One more answer and a shutdown, so that no request is in flight.
	said = append(said, s.world.MustSay("ada", "general", fmt.Sprint("run ", len(said))).ID)
	s.awaits(func() bool { return s.finished(said[len(said)-1]) > 0 })
	s.leave(t)
	sum := s.count(said)
	sum.kills = len(said) - 1 // the last run is not killed
	if sum.isBad(b.doubtful() * sum.kills) {
		t.Errorf("%+v\n%s\n%s", sum, s.world.Transcript(), &s.errs)
	}
	return sum
}

// leave ends the process and waits for it.
func (s *killRig) leave(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-s.ended
}

// add adds another tally, for the summary.
func (n *tally) add(m tally) {
	n.kills, n.runs, n.answered = n.kills+m.kills, n.runs+m.runs, n.answered+m.answered
	n.actions, n.done, n.unsure, n.undone = n.actions+m.actions, n.done+m.done, n.unsure+m.unsure, n.undone+m.undone
	n.lost, n.doubled, n.asked = n.lost+m.lost, n.doubled+m.doubled, max(n.asked, m.asked)
}

// summary keeps actions that were carried out apart from those that were not.
func (n tally) summary(what string) string {
	return fmt.Sprintf("%d %s, %d answered exactly once. %d actions requested: %d carried out exactly once, %d not carried out and reported as interrupted. "+
		"Answers and actions lost without a word: %d, doubled: %d. Model calls for one answer: at most %d.",
		n.runs, what, n.answered, n.actions, n.done, n.undone, n.lost, n.doubled, n.asked)
}
