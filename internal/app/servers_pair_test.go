package app

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
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
		env := apptest.Env(t, w, append([]string{served, "DISCOCLAW_RESPOND=all"}, settings...)...)
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

// answered fails the test unless a message has so many answers, with the words of talkative.
func (p *pair) answered(want int, what string, to chat.MessageID, channel string) {
	p.t.Helper()
	if got := apptest.Answers(p.t, p.World, channel, to, "Indeed."); got != want {
		p.t.Errorf("%s: %d answers to %s in %s, want %d\n%s", what, got, to, channel, want, p.Transcript())
	}
}
