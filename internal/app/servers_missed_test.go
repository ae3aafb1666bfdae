package app

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// twoServers have a channel of the same name. Ada is on both; eve and bob are on one each.
const twoServers = `
guild disco: #general #ops
member ada: owner
member bob
guild lair: #general #traps
member eve: owner
member ada
`

// A pair is a bot on two servers, which can be off for a while. Ada and eve are served.
type pair struct {
	*discordtest.World
	t    *testing.T
	env  config.Env
	out  Outside
	stop func() (time.Duration, error)
}

func onTwoServers(t *testing.T, model llm.Runtime, test func(p *pair), settings ...string) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, twoServers)
		served := fmt.Sprintf("DISCORD_ALLOW_USER_IDS=%s,%s", w.UserID("ada"), w.UserID("eve"))
		env := inWorld(t, w, append([]string{served, "DISCOCLAW_RESPOND=all"}, settings...)...)
		p := &pair{World: w, t: t, env: env, out: Outside{HTTP: w.HTTP(), Runtime: model, Log: t.Output()}}
		p.on()
		test(p)
		p.off()
	})
}

func (p *pair) on() {
	p.t.Helper()
	_, p.stop = begins(p.t, p.env, p.out)
	time.Sleep(time.Minute)
}

func (p *pair) off() {
	p.t.Helper()
	if _, err := p.stop(); err != nil {
		p.t.Error(err)
	}
	p.Gateway().ForgetSessions()
}

// loses takes a server out of order, until it regains it.
func (p *pair) loses(server string) { p.setOutage(server, true) }

func (p *pair) regains(server string) { p.setOutage(server, false) }

func (p *pair) setOutage(server string, on bool) {
	p.t.Helper()
	if err := p.OutageOf(server, on); err != nil {
		p.t.Fatal(err)
	}
}

// says lets somebody say something, and time pass.
func (p *pair) says(who, channel, text string) (chat.MessageID, string) {
	p.t.Helper()
	m := p.MustSay(who, channel, text)
	time.Sleep(time.Minute)
	return m.ID, channel
}

// answered fails the test unless a message has so many answers.
func (p *pair) answered(want int, what string, to chat.MessageID, channel string) {
	p.t.Helper()
	if got := answersIn(p.World, channel, to); got != want {
		p.t.Errorf("%s: %d answers to %s in %s, want %d\n%s", what, got, to, channel, want, p.Transcript())
	}
}

func TestWhatIsSaidOnEveryServerWhileTheBotIsOffIsAnsweredOnce(t *testing.T) {
	onTwoServers(t, talkative(), func(p *pair) {
		p.says("ada", "disco/general", "before")
		p.says("eve", "traps", "before")
		p.off()
		here, hall := p.says("ada", "disco/general", "here?")
		there, room := p.says("ada", "lair/general", "there?") // where nothing was said before
		deeper, traps := p.says("eve", "traps", "and there?")
		for range 2 {
			p.on()
			p.answered(1, "disco", here, hall)
			p.answered(1, "lair", there, room)
			p.answered(1, "lair", deeper, traps)
			p.off()
		}
		p.on()
	})
}

// TestAServerThatComesLateIsCaughtUpThen: it is out of order when the bot comes online, and
// for ten minutes more.
func TestAServerThatComesLateIsCaughtUpThen(t *testing.T) {
	for _, tt := range []struct {
		name  string
		known bool // the bot has been on the server before
	}{{"known", true}, {"never seen in order", false}} {
		t.Run(tt.name, func(t *testing.T) {
			onTwoServers(t, talkative(), func(p *pair) {
				if tt.known {
					p.says("eve", "traps", "before")
				}
				p.off()
				off, traps := p.says("eve", "traps", "while it is off")
				here, ops := p.says("ada", "ops", "while it is off, too")
				p.loses("lair")
				p.on()
				p.answered(1, "the other server", here, ops)
				away, general := p.says("ada", "lair/general", "while the server is out of order")
				meanwhile, _ := p.says("ada", "ops", "meanwhile")
				p.answered(1, "meanwhile", meanwhile, ops)
				time.Sleep(10 * time.Minute)
				p.regains("lair")
				time.Sleep(time.Minute)
				since, _ := p.says("eve", "traps", "since")
				for range 2 {
					p.answered(1, "off", off, traps)
					p.answered(1, "away", away, general)
					p.answered(1, "since", since, traps)
					p.answered(1, "the other server", here, ops)
					p.answered(1, "meanwhile", meanwhile, ops)
					p.off()
					p.on()
				}
			})
		})
	}
}

// TestTheBotEndsWhileAServerIsOutOfOrder: what was said there is found by a later process.
func TestTheBotEndsWhileAServerIsOutOfOrder(t *testing.T) {
	onTwoServers(t, talkative(), func(p *pair) {
		p.says("eve", "traps", "before")
		p.loses("lair")
		time.Sleep(time.Minute)
		away, traps := p.says("eve", "traps", "unheard")
		here, ops := p.says("ada", "ops", "heard")
		p.off()
		p.on() // and sees nothing of the server
		p.off()
		p.on()
		p.regains("lair")
		time.Sleep(time.Minute)
		p.answered(1, "away", away, traps)
		p.answered(1, "here", here, ops)
	})
}

// TestAnOutageDuringATurnTakesNothingAway, neither from the turn nor from what is said
// meanwhile, on that server and on the other.
func TestAnOutageDuringATurnTakesNothingAway(t *testing.T) {
	slow := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		if strings.Contains(req.Messages[len(req.Messages)-1].Text, "slowly") {
			return script.Answer{script.Text("One moment. "), script.Pause(5 * time.Minute), script.Text("Here it is.")}.Stream(ctx)
		}
		return script.Say("Indeed.").Stream(ctx)
	})
	onTwoServers(t, slow, func(p *pair) {
		slowly, traps := p.says("eve", "traps", "answer slowly")
		p.loses("lair")
		away, _ := p.says("eve", "traps", "unheard")
		here, ops := p.says("ada", "ops", "heard")
		p.answered(1, "the other server", here, ops)
		time.Sleep(10 * time.Minute)
		p.regains("lair")
		time.Sleep(time.Minute)
		p.answered(1, "the turn", slowly, traps)
		p.answered(1, "away", away, traps)
		if said := p.Transcript("traps"); strings.Count(said, "Here it is.") != 1 {
			t.Error(said)
		}
	})
}

// TestABotThatIsTakenToAServerAnswersFromThenOn, and no more once it is thrown out.
func TestABotThatIsTakenToAServerAnswersFromThenOn(t *testing.T) {
	onTwoServers(t, talkative(), func(p *pair) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		first, traps := p.says("eve", "traps", "before")
		must(p.ExpelBot("lair"))
		without, _ := p.says("eve", "traps", "is it gone?")
		here, ops := p.says("ada", "ops", "it is still here")
		must(p.InviteBot("lair"))
		time.Sleep(time.Minute)
		with, _ := p.says("eve", "traps", "it is back")
		for range 2 {
			p.answered(1, "before", first, traps)
			p.answered(0, "thrown out", without, traps)
			p.answered(1, "the other server", here, ops)
			p.answered(1, "back", with, traps)
			p.off()
			p.on()
		}
	})
}

// prompts are what a model was told.
type prompts struct {
	mu  sync.Mutex
	all []llm.Request
}

func (p *prompts) runtime() llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all = append(p.all, req)
		return script.Say("Noted.").Stream(ctx)
	})
}

// TestNoPromptTellsOfAnotherServer: neither what is said there, nor by whom, nor where.
func TestNoPromptTellsOfAnotherServer(t *testing.T) {
	var heard prompts
	onTwoServers(t, heard.runtime(), func(p *pair) {
		p.says("eve", "lair/general", "the lair's own words")
		p.says("bob", "disco/general", "disco's own words")
		p.says("ada", "disco/general", "what did we talk about in #general?")
		p.says("ada", "lair/general", "and what did we talk about here?")
		p.off()
		p.on()
		p.says("ada", "disco/general", "do you still know?")
		p.says("ada", "lair/general", "and still?")
		heard.mu.Lock()
		defer heard.mu.Unlock()
		if len(heard.all) != 5 {
			t.Fatalf("the model was asked %d times", len(heard.all))
		}
		for i, req := range heard.all {
			text := fmt.Sprint(req)
			disco := strings.Contains(text, "disco's own words") || strings.Contains(text, "#ops") || strings.Contains(text, "bob")
			lair := strings.Contains(text, "lair's own words") || strings.Contains(text, "#traps") || strings.Contains(text, "eve:")
			if disco && lair {
				t.Errorf("prompt %d tells of both servers:\n%s", i+1, text)
			}
			if !disco && !lair {
				t.Errorf("prompt %d tells of nothing:\n%s", i+1, text)
			}
		}
	})
}

// TestABotThatIsThrownOutInTheMiddleGoesOnElsewhere: a reply is being written there, another
// was cut off, a question is open and something is put off. None of it can be brought to an
// end, and none of it may cost the other server anything.
func TestABotThatIsThrownOutInTheMiddleGoesOnElsewhere(t *testing.T) {
	busy := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		switch text := req.Messages[len(req.Messages)-1].Text; {
		case strings.Contains(text, "slowly"):
			return script.Answer{script.Text("One moment. "), script.Pause(5 * time.Minute), script.Text(`Here it is.<discord-action>{"type":"sendMessage","channel":"general","content":"done"}</discord-action>`)}.Stream(ctx)
		case strings.Contains(text, "later"):
			return script.Say(`Yes.<discord-action>{"type":"defer","channel":"traps","prompt":"look again","delaySeconds":600}</discord-action>`).Stream(ctx)
		case strings.Contains(text, "delete"):
			return script.Say(`Sure.<discord-action>{"type":"channelDelete","channelId":"traps"}</discord-action>`).Stream(ctx)
		}
		return script.Say("Indeed.").Stream(ctx)
	})
	onTwoServers(t, busy, func(p *pair) {
		p.says("eve", "traps", "do it later")
		p.says("eve", "traps", "delete this channel")
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
		p.answered(1, "what was begun", slowly, traps)
		again, _ := p.says("eve", "traps", "welcome back")
		p.answered(1, "back", again, traps)
	})
}

// TestWhyIsNotToldOnAnotherServer: who asks there may not know what is said here.
func TestWhyIsNotToldOnAnotherServer(t *testing.T) {
	onTwoServers(t, talkative(), func(p *pair) {
		said, ops := p.says("ada", "ops", "a word among us")
		link := chat.Place{Guild: p.GuildID(), Channel: p.ChannelID(ops), Message: said}.Link()
		lair, _ := p.Channel("traps")
		forged := chat.Place{Guild: lair.Guild, Channel: p.ChannelID(ops), Message: said}.Link()
		for _, asks := range []struct{ who, where, link string }{
			{"eve", "traps", link}, {"eve", "traps", forged}, {"ada", "lair/general", link}, {"eve", "@bot", link},
		} {
			at, where := p.says(asks.who, asks.where, "!why "+asks.link)
			if where == "@bot" {
				where = "@" + asks.who
			}
			all := p.Messages(where)
			answer := all[len(all)-1]
			if answer.ID == at || !strings.Contains(answer.Content, "I know nothing about that message") {
				t.Errorf("%s in %s: %q", asks.who, asks.where, answer.Content)
			}
		}
	})
}

// TestAReplyThatWasCutOffWaitsForItsServer: the next process begins while the server is out
// of order, and Discord answers no question about it.
func TestAReplyThatWasCutOffWaitsForItsServer(t *testing.T) {
	slow := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		if strings.Contains(req.Messages[len(req.Messages)-1].Text, "slowly") {
			return script.Answer{script.Text("One moment. "), script.Pause(5 * time.Minute), script.Text(`Here it is.<discord-action>{"type":"channelCreate","name":"new"}</discord-action>`)}.Stream(ctx)
		}
		return script.Say("Indeed.").Stream(ctx)
	})
	onTwoServers(t, slow, func(p *pair) {
		slowly, traps := p.says("eve", "traps", "answer slowly")
		p.off()
		p.loses("lair")
		p.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}", Status: http.StatusServiceUnavailable})
		p.on()
		here, ops := p.says("ada", "ops", "are you there?")
		p.answered(1, "the other server", here, ops)
		time.Sleep(10 * time.Minute)
		p.regains("lair")
		p.Recover()
		time.Sleep(10 * time.Minute)
		p.answered(1, "the reply", slowly, traps)
		if said := p.Transcript(traps); strings.Count(said, "Here it is.") != 1 || !strings.Contains(said, "Done: ") {
			t.Error(said)
		}
	}, "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")
}

// TestWhatWasPutOffWaitsForItsServer: its time comes while nothing is known of the server.
func TestWhatWasPutOffWaitsForItsServer(t *testing.T) {
	model := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		if strings.Contains(req.Messages[len(req.Messages)-1].Text, "in five minutes") {
			return script.Say(`Yes.<discord-action>{"type":"defer","channel":"traps","prompt":"look again","delaySeconds":300}</discord-action>`).Stream(ctx)
		}
		return script.Say("I looked again.").Stream(ctx)
	})
	onTwoServers(t, model, func(p *pair) {
		p.says("eve", "traps", "look again in five minutes")
		p.off()
		p.loses("lair")
		p.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}", Status: http.StatusServiceUnavailable})
		p.on()
		time.Sleep(10 * time.Minute)
		p.regains("lair")
		p.Recover()
		time.Sleep(10 * time.Minute)
		if said := p.Transcript("traps"); strings.Count(said, "I looked again.") != 1 {
			t.Error(said)
		}
	})
}
