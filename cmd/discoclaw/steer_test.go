package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/test/chaos"
)

// steerPoints are the steps from a further message to the next placeholder, while the answer to the first is stopped.
var steerPoints = []killPoint{
	{step: "further message written", change: "insert inbox 1"},
	{step: "placeholder deleted", request: "DELETE .*/channels/{general}/messages/.*"},
	{step: "both joined", change: "update inbox 1"},
	{step: "next turn begun", change: "update inbox 3"},
	{step: "next placeholder written", change: "insert posts 1"},
	{step: "next placeholder", request: "POST .*/channels/{general}/messages"},
	{step: "answer to both", request: "POST /v1/chat/completions"},
	{step: "answer written", change: "insert rounds 1"},
}

// A steerRig has a model that does not end its first answer in a run. It answers a further message by itself, or together with the run.
type steerRig struct {
	*killRig
	stuck chan struct{} // has a value for each answer that does not end
}

// moreOf finds the number of the run in a further message.
var moreOf = regexp.MustCompile(`more (\d+)`)

func (s steerRig) answer(x *llmtest.Exchange) {
	asked := x.Request.Messages[len(x.Request.Messages)-1].Content
	run, more := runOf.FindStringSubmatch(asked), moreOf.FindStringSubmatch(asked)
	var pieces []string
	if run != nil {
		s.mu.Lock()
		s.asked[run[1]]++
		first := s.asked[run[1]] == 1
		s.mu.Unlock()
		if first {
			s.stuck <- struct{}{}
			x.Hang()
			return
		}
		pieces = append(pieces, fmt.Sprintf(`On it (%s).<discord-action>{"type":"sendMessage","channel":"ops","content":"ping %s"}</discord-action>`, run[1], run[1]))
	}
	if more != nil {
		pieces = append(pieces, fmt.Sprintf(" This too (%s).", more[1]))
	}
	llmtest.Text(pieces...)(x)
}

// said counts the messages of the bot in #general that are final and have a text.
func (s steerRig) said(text string) (n int) {
	for _, m := range s.world.Messages("general") {
		if m.Author == s.world.UserID("bot") && isFinished(m) && strings.Contains(m.Content, text) {
			n++
		}
	}
	return n
}

// TestAProcessThatIsKilledWhileItStopsAnAnswer for a further message answers both once.
func TestAProcessThatIsKilledWhileItStopsAnAnswer(t *testing.T) {
	t.Parallel()
	skipMoments(t)
	for _, b := range beforeAndAfter(steerPoints) {
		t.Run(b.when+" "+b.step, func(t *testing.T) {
			t.Parallel()
			s := steerRig{newKillRig(t, "DISCOCLAW_STEER=on"), make(chan struct{}, 1)}
			s.model.Always(s.answer)
			runs := chaos.Runs(1, 20)
			for n := range runs {
				s.world.MustSay("ada", "general", fmt.Sprint("run ", n))
				<-s.stuck
				s.order(t, b)
				s.world.MustSay("ada", "general", fmt.Sprint("more ", n))
				s.awaitEnd(t)
				s.launch(t)
				s.online(t)
				s.watch()
				on, too := fmt.Sprintf("On it (%d).", n), fmt.Sprintf("This too (%d).", n)
				s.awaits(func() bool { return s.said(on) > 0 && s.said(too) > 0 })
			}
			s.leave(t)
			left := 0
			for _, m := range s.world.Messages("general") {
				if m.Author == s.world.UserID("bot") && (!isFinished(m) || !strings.Contains(m.Content, "(")) {
					left++
				}
			}
			for n := range runs {
				on, too := s.said(fmt.Sprintf("On it (%d).", n)), s.said(fmt.Sprintf("This too (%d).", n))
				if pings, _ := s.effects(n); on != 1 || too != 1 || pings != 1 || left > 0 {
					t.Errorf("run %d: answered %d and %d times, done %d times, %d messages left\n%s\n%s", n, on, too, pings, left, s.world.Transcript(), &s.errs)
				}
			}
		})
	}
}
