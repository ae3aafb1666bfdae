package main

import (
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/llmtest"
)

// card is the latest message with buttons.
func (p *process) card() (m fakediscord.Message, found bool) {
	for _, m := range slices.Backward(p.world.Messages("general")) {
		for _, b := range m.Buttons() {
			if b.Label == "Approve" {
				return m, true
			}
		}
	}
	return m, false
}

// asksToDelete has ada ask for a destructive action, and waits for the card.
func (p *process) asksToDelete(t testing.TB) fakediscord.Message {
	t.Helper()
	p.model.Queue(llmtest.Text(`One moment.<discord-action>{"type":"channelDelete","channelId":"ops"}</discord-action>`))
	p.world.MustSay("ada", "general", "delete #ops")
	p.until(func() bool { _, found := p.card(); return found })
	card, _ := p.card()
	return card
}

func (p *process) press(t testing.TB, card fakediscord.Message) {
	t.Helper()
	if _, err := p.world.Press("ada", card.ID, card.Buttons()[0].CustomID); err != nil {
		t.Fatal(err)
	}
}

// deletions is how often the bot has asked Discord to delete a channel.
func (p *process) deletions() int {
	n := 0
	for _, x := range p.world.Requests() {
		if x.Route == "DELETE /channels/{channel}" {
			n++
		}
	}
	return n
}

func TestAQuestionSurvivesAKill(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.online(t)
	card := p.asksToDelete(t)
	p.kill(t)
	p.press(t, card)
	p.until(func() bool {
		m, _ := p.world.Message(card.ID)
		return strings.Contains(m.Content, "Done: deleted **#ops**")
	})
	if _, there := p.world.Channel("ops"); there || p.deletions() != 1 {
		t.Errorf("#ops is there: %v, after %d requests", there, p.deletions())
	}
}

// TestAnActionThatAKillInterruptedIsNotRepeated: Discord has done it, and the process is
// killed before the response.
func TestAnActionThatAKillInterruptedIsNotRepeated(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.online(t)
	card := p.asksToDelete(t)
	p.world.Fail(fakediscord.Fault{Match: "DELETE /channels/{channel}", Kind: fakediscord.Hang, Accepted: true})
	p.press(t, card)
	p.until(func() bool { _, there := p.world.Channel("ops"); return !there })
	p.world.Recover()
	if _, err := p.world.AddChannel("#ops"); err != nil { // it must not be deleted
		t.Fatal(err)
	}
	p.kill(t)
	p.until(func() bool {
		m, _ := p.world.Message(card.ID)
		return strings.Contains(m.Content, "I was restarted in the middle of this")
	})
	if _, there := p.world.Channel("ops"); !there || p.deletions() > 1 {
		t.Errorf("#ops is there: %v, after %d requests", there, p.deletions())
	}
}
