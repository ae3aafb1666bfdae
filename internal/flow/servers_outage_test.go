package flow_test

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

// obliging is a model with answers to certain texts, which answers all others with [apptest.Indeed]. It needs noHistory.
func obliging(to map[string]script.Answer) llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		said := req.Messages[len(req.Messages)-1].Text
		for words, answer := range to {
			if strings.Contains(said, words) {
				return answer.Stream(ctx)
			}
		}
		return script.Say(apptest.Indeed).Stream(ctx)
	})
}

// atLength is an answer that takes five minutes.
func atLength(text string) script.Answer {
	return script.Answer{script.Text("One moment. "), script.Pause(5 * time.Minute), script.Text(text)}
}

// startsWithout restarts the bot while a server is unavailable and Discord answers no request about it. The server
// returns ten minutes after the given function was called.
func (p pair) startsWithout(server string, do func()) {
	p.t.Helper()
	p.leave()
	p.outage(server, true)
	p.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}", Status: http.StatusServiceUnavailable})
	p.on()
	do()
	time.Sleep(10 * time.Minute)
	p.outage(server, false)
	p.Recover()
	time.Sleep(10 * time.Minute)
}

// TestATurnSurvivesAnOutageOfItsServer. Messages sent meanwhile are answered, there and on the other server.
func TestATurnSurvivesAnOutageOfItsServer(t *testing.T) {
	model := obliging(map[string]script.Answer{"slowly": atLength("Here it is.")})
	onTwoServers(t, model, func(p pair) {
		slowly := p.say("eve", "traps", "answer slowly")
		p.outage("lair", true)
		away := p.say("eve", "traps", "unheard")
		here := p.say("ada", "ops", "heard")
		p.answered(1, "the other server", here)
		time.Sleep(10 * time.Minute)
		p.outage("lair", false)
		time.Sleep(time.Minute)
		p.answered(1, "away", away)
		p.answeredIn(1, "the turn", "traps", slowly.id, "One moment. Here it is.")
	}, noHistory)
}

// TestAResumedTurnWaitsForItsServer: the next process starts while the server is unavailable.
func TestAResumedTurnWaitsForItsServer(t *testing.T) {
	model := obliging(map[string]script.Answer{"slowly": atLength(`Here it is.<discord-action>{"type":"channelCreate","name":"new"}</discord-action>`)})
	onTwoServers(t, model, func(p pair) {
		slowly := p.say("eve", "traps", "answer slowly")
		p.startsWithout("lair", func() { p.answered(1, "the other server", p.say("ada", "ops", "are you there?")) })
		p.answeredIn(1, "the turn", "traps", slowly.id, "One moment. Here it is.")
		p.shows(1, "traps", "Done: ")
	}, noHistory, "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")
}

// TestADeferredRunWaitsForItsServer: it is due while the server is unavailable.
func TestADeferredRunWaitsForItsServer(t *testing.T) {
	model := obliging(map[string]script.Answer{
		"in five minutes": script.Say(`Yes.<discord-action>{"type":"defer","channel":"traps","prompt":"look again","delaySeconds":300}</discord-action>`),
	})
	onTwoServers(t, model, func(p pair) {
		p.say("eve", "traps", "look again in five minutes")
		p.startsWithout("lair", func() {})
		p.shows(1, "traps", apptest.Indeed)
	}, noHistory)
}

// TestRemovalFromAServerDoesNotAffectOthers: on that server, a reply is being written and a run is deferred. Neither can
// be finished, and neither may affect the other server.
func TestRemovalFromAServerDoesNotAffectOthers(t *testing.T) {
	model := obliging(map[string]script.Answer{
		"slowly": atLength(`Here it is.<discord-action>{"type":"sendMessage","channel":"general","content":"done"}</discord-action>`),
		"later":  script.Say(`Yes.<discord-action>{"type":"defer","channel":"traps","prompt":"look again","delaySeconds":600}</discord-action>`),
	})
	onTwoServers(t, model, func(p pair) {
		p.say("eve", "traps", "do it later")
		slowly := p.say("eve", "traps", "answer slowly")
		p.must(p.ExpelBot("lair"))
		time.Sleep(10 * time.Minute)
		before := len(p.Messages("traps")) + len(p.Messages("lair/general"))
		p.restart()
		p.answered(1, "the other server", p.say("ada", "ops", "are you there?"))
		asked := len(p.Requests())
		time.Sleep(time.Hour)
		if n := len(p.Requests()) - asked; n > 20 {
			t.Errorf("%d requests in an hour in which nothing happens", n)
		}
		p.must(p.InviteBot("lair"))
		time.Sleep(time.Minute)
		if after := len(p.Messages("traps")) + len(p.Messages("lair/general")); after != before {
			t.Errorf("%d messages more since it was removed\n%s", after-before, p.Transcript())
		}
		if n := len(apptest.RepliesTo(p.World, "traps", slowly.id)); n != 1 {
			t.Errorf("%d replies to what was begun, and could not be finished\n%s", n, p.Transcript("traps"))
		}
		p.answered(1, "back", p.say("eve", "traps", "welcome back"))
	}, noHistory)
}
