package app

import (
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
)

func TestWhatIsSaidOnEveryServerWhileTheBotIsOffIsAnsweredOnce(t *testing.T) {
	onTwoServers(t, apptest.Talkative(), func(p *pair) {
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
			onTwoServers(t, apptest.Talkative(), func(p *pair) {
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
	onTwoServers(t, apptest.Talkative(), func(p *pair) {
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

// TestABotThatIsTakenToAServerAnswersFromThenOn, and no more once it is thrown out.
func TestABotThatIsTakenToAServerAnswersFromThenOn(t *testing.T) {
	onTwoServers(t, apptest.Talkative(), func(p *pair) {
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
