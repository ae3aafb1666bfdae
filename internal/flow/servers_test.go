package flow_test

import (
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
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

// A pair is a host whose bot is on two servers. Ada and eve are served.
type pair struct{ *host }

// said is a message, and where it was said.
type said struct {
	id      chat.MessageID
	channel string
}

// onTwoServers runs a test with a bot that is online at the start, and is stopped at the end.
func onTwoServers(t *testing.T, model llm.Runtime, test func(p pair), settings ...string) {
	t.Helper()
	onHost(t, twoServers, func(h *host) {
		h.serves("ada", "eve")
		h.model = model
		p := pair{h}
		p.on()
		test(p)
		p.leave()
	}, append([]string{"DISCOCLAW_RESPOND=all"}, settings...)...)
}

// on starts a process, and lets a minute pass.
func (p pair) on() {
	p.t.Helper()
	p.start()
	time.Sleep(time.Minute)
}

// restart stops the process and starts another one.
func (p pair) restart() {
	p.t.Helper()
	p.leave()
	p.on()
}

// outage makes a server unavailable, or available again.
func (p pair) outage(server string, on bool) {
	p.t.Helper()
	p.must(p.OutageOf(server, on))
}

// say posts a message, and lets a minute pass.
func (p pair) say(who, channel, text string) said {
	p.t.Helper()
	m := p.MustSay(who, channel, text)
	time.Sleep(time.Minute)
	return said{m.ID, channel}
}

// answered requires the number of answers to a message by [apptest.Talkative].
func (p pair) answered(want int, what string, to said) {
	p.t.Helper()
	p.answeredIn(want, what, to.channel, to.id, apptest.Indeed)
}
