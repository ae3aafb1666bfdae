package app

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// noHistory has a prompt tell of what is to be answered, and of nothing that was said before.
const noHistory = "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0"

// obliging is a model that has answers for those who use certain words, and another one for
// everybody else. It needs noHistory.
func obliging(to map[string]script.Answer) llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		said := req.Messages[len(req.Messages)-1].Text
		for words, answer := range to {
			if strings.Contains(said, words) {
				return answer.Stream(ctx)
			}
		}
		return script.Say("Indeed.").Stream(ctx)
	})
}

// atLength is an answer that takes five minutes.
func atLength(text string) script.Answer {
	return script.Answer{script.Text("One moment. "), script.Pause(5 * time.Minute), script.Text(text)}
}

// beginsWithout has the bot end and begin again while a server is out of order, and Discord
// answers no question about it. Ten minutes after something was done then, it is back.
func (p *pair) beginsWithout(server string, do func()) {
	p.t.Helper()
	p.off()
	p.loses(server)
	p.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}", Status: http.StatusServiceUnavailable})
	p.on()
	do()
	time.Sleep(10 * time.Minute)
	p.regains(server)
	p.Recover()
	time.Sleep(10 * time.Minute)
}

// TestAnOutageDuringATurnTakesNothingAway, neither from the turn nor from what is said
// meanwhile, on that server and on the other.
func TestAnOutageDuringATurnTakesNothingAway(t *testing.T) {
	model := obliging(map[string]script.Answer{"slowly": atLength("Here it is.")})
	onTwoServers(t, model, func(p *pair) {
		slowly, traps := p.says("eve", "traps", "answer slowly")
		p.loses("lair")
		away, _ := p.says("eve", "traps", "unheard")
		here, ops := p.says("ada", "ops", "heard")
		p.answered(1, "the other server", here, ops)
		time.Sleep(10 * time.Minute)
		p.regains("lair")
		time.Sleep(time.Minute)
		p.answered(1, "away", away, traps)
		if n := apptest.Answers(t, p.World, traps, slowly, "One moment. Here it is."); n != 1 {
			t.Errorf("%d answers to the turn\n%s", n, p.Transcript("traps"))
		}
	}, noHistory)
}

// TestAReplyThatWasCutOffWaitsForItsServer: the next process begins while the server is out
// of order, and Discord answers no question about it.
func TestAReplyThatWasCutOffWaitsForItsServer(t *testing.T) {
	model := obliging(map[string]script.Answer{"slowly": atLength(`Here it is.<discord-action>{"type":"channelCreate","name":"new"}</discord-action>`)})
	onTwoServers(t, model, func(p *pair) {
		slowly, traps := p.says("eve", "traps", "answer slowly")
		p.beginsWithout("lair", func() {
			here, ops := p.says("ada", "ops", "are you there?")
			p.answered(1, "the other server", here, ops)
		})
		if said := p.Transcript(traps); apptest.Answers(t, p.World, traps, slowly, "One moment. Here it is.") != 1 || !strings.Contains(said, "Done: ") {
			t.Error(said)
		}
	}, noHistory, "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")
}

// TestWhatWasPutOffWaitsForItsServer: its time comes while nothing is known of the server.
func TestWhatWasPutOffWaitsForItsServer(t *testing.T) {
	model := obliging(map[string]script.Answer{
		"in five minutes": script.Say(`Yes.<discord-action>{"type":"defer","channel":"traps","prompt":"look again","delaySeconds":300}</discord-action>`),
	})
	onTwoServers(t, model, func(p *pair) {
		p.says("eve", "traps", "look again in five minutes")
		p.beginsWithout("lair", func() {})
		if said := p.Transcript("traps"); strings.Count(said, "Indeed.") != 1 {
			t.Error(said)
		}
	}, noHistory)
}

// TestABotThatIsThrownOutInTheMiddleGoesOnElsewhere: a reply is being written there, and
// something is put off. Neither can be brought to an end, and neither may cost the other
// server anything.
func TestABotThatIsThrownOutInTheMiddleGoesOnElsewhere(t *testing.T) {
	model := obliging(map[string]script.Answer{
		"slowly": atLength(`Here it is.<discord-action>{"type":"sendMessage","channel":"general","content":"done"}</discord-action>`),
		"later":  script.Say(`Yes.<discord-action>{"type":"defer","channel":"traps","prompt":"look again","delaySeconds":600}</discord-action>`),
	})
	onTwoServers(t, model, func(p *pair) {
		p.says("eve", "traps", "do it later")
		slowly, traps := p.says("eve", "traps", "answer slowly")
		if err := p.ExpelBot("lair"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		before := len(p.Messages(traps)) + len(p.Messages("lair/general"))
		p.off()
		p.on()
		here, ops := p.says("ada", "ops", "are you there?")
		p.answered(1, "the other server", here, ops)
		asked := len(p.Requests())
		time.Sleep(time.Hour)
		if n := len(p.Requests()) - asked; n > 20 {
			t.Errorf("%d requests in an hour in which nothing happens", n)
		}
		if err := p.InviteBot("lair"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if after := len(p.Messages(traps)) + len(p.Messages("lair/general")); after != before {
			t.Errorf("%d messages more since it was thrown out\n%s", after-before, p.Transcript())
		}
		if n := len(apptest.RepliesTo(p.World, traps, slowly)); n != 1 {
			t.Errorf("%d replies to what was begun, which nobody could finish\n%s", n, p.Transcript(traps))
		}
		again, _ := p.says("eve", "traps", "welcome back")
		p.answered(1, "back", again, traps)
	}, noHistory)
}
