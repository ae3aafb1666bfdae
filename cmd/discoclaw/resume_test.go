package main

import (
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm/llmtest"
)

// requireAnswered fails the test unless each message has exactly one reply, the complete answer.
func (p *process) requireAnswered(t testing.TB, said ...chat.MessageID) {
	t.Helper()
	for _, id := range said {
		if list := p.replies(id); len(list) != 1 || list[0].Content != "Hello, ada." || !isFinished(list[0]) {
			t.Errorf("%d replies to %s, or not the answer\n%s", len(list), id, p.world.Transcript())
		}
	}
}

// finished is how many final replies a message has.
func (p *process) finished(to chat.MessageID) int {
	n := 0
	for _, m := range p.replies(to) {
		if isFinished(m) {
			n++
		}
	}
	return n
}

// isFinished reports whether a reply is final: it has no Stop button.
func isFinished(m fakediscord.Message) bool {
	return !m.Unfinished() && !strings.Contains(m.Content, "will go on with this")
}

// replies are those of the bot to a message in #general.
func (p *process) replies(to chat.MessageID) []fakediscord.Message {
	return slices.DeleteFunc(p.world.Messages("general"), func(m fakediscord.Message) bool {
		return m.ReplyTo != to || m.Author != p.world.UserID("bot")
	})
}

// requireResumed fails the test unless the process has resumed its first gateway session,
// so many times.
func (p *process) requireResumed(t testing.TB, times int) {
	t.Helper()
	if n := p.world.Gateway().Counts(); n.Identifies != 1 || n.Resumes != times {
		t.Errorf("%d IDENTIFYs and %d RESUMEs, want 1 and %d", n.Identifies, n.Resumes, times)
	}
}

// asks has ada write a message, and waits for the answer.
func (p *process) asks(text string) chat.MessageID {
	m := p.world.MustSay("ada", "general", text)
	p.until(func() bool { return p.finished(m.ID) > 0 && p.says("general", "Hello, ada.")() })
	return m.ID
}

func TestMessagesDuringAKillAreAnswered(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.model.Always(llmtest.Text("Hello, ada."))
	p.online(t)
	first := p.asks("before")
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // says that it was killed
	missed := p.world.MustSay("ada", "general", "meanwhile").ID
	p.launch(t)
	p.online(t)
	p.until(func() bool { return p.finished(missed) > 0 && p.says("general", "Hello, ada.")() })
	last := p.asks("after")
	p.requireAnswered(t, first, missed, last)
	p.requireResumed(t, 1)
}

// TestALostConnectionLosesNoMessages, over TCP: whether it is closed or breaks.
func TestALostConnectionLosesNoMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		loss fakegateway.Fault
	}{
		{"FIN", fakegateway.Drop()},
		{"RST", fakegateway.Reset()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, self(t))
			p.model.Always(llmtest.Text("Hello, ada."))
			p.online(t)
			said := []chat.MessageID{p.asks("before")}
			p.world.Gateway().Inject(tt.loss)
			said = append(said, p.asks("during"), p.asks("after"))
			p.requireAnswered(t, said...)
			p.requireResumed(t, 1)
		})
	}
}

// TestAMessageIsNotAnsweredTwiceAfterAKill kills the process after each answer, and when
// it is idle.
func TestAMessageIsNotAnsweredTwiceAfterAKill(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.model.Always(llmtest.Text("Hello, ada."))
	p.online(t)
	const kills = 5
	var said []chat.MessageID
	for range kills {
		said = append(said, p.asks("hello"))
		p.kill(t)
	}
	p.kill(t)
	said = append(said, p.asks("goodbye"))
	p.requireAnswered(t, said...)
	if n := len(p.model.Requests()); n != kills+1 {
		t.Errorf("the model was asked %d times, want %d", n, kills+1)
	}
	p.requireResumed(t, kills+1)
}

func TestAnInvalidSessionAtTheStartIsReplacedOnce(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.model.Always(llmtest.Text("Hello, ada."))
	p.online(t)
	p.stop(t)
	p.world.Gateway().ForgetSessions()
	p.launch(t)
	p.online(t)
	p.asks("hello")
	// An IDENTIFY less than five seconds after the first one starts no session, so it does not count.
	if n, _ := p.world.Gateway().Starts(p.world.Token()); n != 2 || p.world.Gateway().Counts().Resumes != 1 {
		t.Errorf("%d sessions and %d RESUMEs", n, p.world.Gateway().Counts().Resumes)
	}
}
