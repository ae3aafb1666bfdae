package flow_test

import (
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
)

func TestMissedMessagesOfEveryServerAreAnsweredOnce(t *testing.T) {
	onTwoServers(t, apptest.Talkative(), func(p pair) {
		p.say("ada", "disco/general", "before")
		p.say("eve", "traps", "before")
		p.leave()
		here := p.say("ada", "disco/general", "here?")
		there := p.say("ada", "lair/general", "there?") // where nothing was said before
		deeper := p.say("eve", "traps", "and there?")
		p.on()
		for range 2 {
			p.answered(1, "disco", here)
			p.answered(1, "lair", there)
			p.answered(1, "lair", deeper)
			p.restart()
		}
	})
}

// TestTheGapsOfAnUnavailableServerAreReadWhenItReturns: it is unavailable when the bot comes online, and for ten more
// minutes.
func TestTheGapsOfAnUnavailableServerAreReadWhenItReturns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		known bool // the server has been available to the bot before
	}{{"known", true}, {"never seen in order", false}} {
		t.Run(tt.name, func(t *testing.T) {
			onTwoServers(t, apptest.Talkative(), func(p pair) {
				if tt.known {
					p.say("eve", "traps", "before")
				}
				p.leave()
				off := p.say("eve", "traps", "while it is off")
				here := p.say("ada", "ops", "while it is off, too")
				p.outage("lair", true)
				p.on()
				p.answered(1, "the other server", here)
				away := p.say("ada", "lair/general", "while the server is out of order")
				meanwhile := p.say("ada", "ops", "meanwhile")
				p.answered(1, "meanwhile", meanwhile)
				time.Sleep(10 * time.Minute)
				p.outage("lair", false)
				time.Sleep(time.Minute)
				since := p.say("eve", "traps", "since")
				for range 2 {
					p.answered(1, "off", off)
					p.answered(1, "away", away)
					p.answered(1, "since", since)
					p.answered(1, "the other server", here)
					p.answered(1, "meanwhile", meanwhile)
					p.restart()
				}
			})
		})
	}
}

// TestUnreadGapsSurviveRestarts: the bot is restarted twice while a server is unavailable.
func TestUnreadGapsSurviveRestarts(t *testing.T) {
	onTwoServers(t, apptest.Talkative(), func(p pair) {
		p.say("eve", "traps", "before")
		p.outage("lair", true)
		time.Sleep(time.Minute)
		away := p.say("eve", "traps", "unheard")
		here := p.say("ada", "ops", "heard")
		p.restart()
		p.restart()
		p.outage("lair", false)
		time.Sleep(time.Minute)
		p.answered(1, "away", away)
		p.answered(1, "here", here)
	})
}

// TestMessagesFromWhileTheBotIsNotOnAServerAreNotAnswered: messages sent after it was removed, and before it is invited
// again, do not count as missed.
func TestMessagesFromWhileTheBotIsNotOnAServerAreNotAnswered(t *testing.T) {
	onTwoServers(t, apptest.Talkative(), func(p pair) {
		first := p.say("eve", "traps", "before")
		p.must(p.ExpelBot("lair"))
		without := p.say("eve", "traps", "is it gone?")
		here := p.say("ada", "ops", "it is still here")
		p.must(p.InviteBot("lair"))
		time.Sleep(time.Minute)
		with := p.say("eve", "traps", "it is back")
		for range 2 {
			p.answered(1, "before", first)
			p.answered(0, "removed", without)
			p.answered(1, "the other server", here)
			p.answered(1, "back", with)
			p.restart()
		}
	})
}
