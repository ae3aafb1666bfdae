package fakegateway_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakegateway"

	"github.com/coder/websocket"
)

func TestCommandsOfASessionArePassedOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var wants []string
		ended := 0
		s, l := start(t, fakegateway.Options{
			Identify: func(who fakegateway.Identify) (map[string]any, []fakegateway.Event, int) {
				wants = append(wants, "identify "+who.Presence.Status)
				return nil, nil, 0
			},
			Presence:   func(p fakegateway.Presence) { wants = append(wants, p.Status+" "+p.Activities[0].Name) },
			VoiceState: func(v fakegateway.VoiceState) { wants = append(wants, fmt.Sprint("voice ", *v.Channel)) },
			Ended:      func(fakegateway.Shard) { ended++ },
		})
		c := connect(t, l, address)
		c.say(`{"op":2,"d":{"token":"secret","intents":512,"presence":{"status":"dnd"}}}`)
		c.say(`{"op":3,"d":{"status":"idle","activities":[{"name":"chess","type":0}],"since":null,"afk":false}}`)
		c.say(`{"op":4,"d":{"guild_id":"1","channel_id":"2","self_mute":false,"self_deaf":false}}`)
		c.say(`{"op":4,"d":{"guild_id":1412043486085120161,"channel_id":1412043486085120162,"self_mute":false,"self_deaf":false}}`) // as discord.py does
		if want := []string{"identify dnd", "idle chess", "voice 2", "voice 1412043486085120162"}; !slices.Equal(wants, want) {
			t.Errorf("told %q, want %q", wants, want)
		}
		if n := s.Counts().Commands; n != 3 || ended != 0 {
			t.Errorf("%d commands, and %d sessions ended", n, ended)
		}
		_ = c.ws.Close(websocket.StatusNormalClosure, "")
		synctest.Wait()
		if ended != 1 {
			t.Errorf("%d sessions ended", ended)
		}
	})
}

func TestClientsOverTheRateLimitAreClosed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, l := start(t, fakegateway.Options{})
		c := connect(t, l, address)
		for range 2 {
			for range 120 {
				c.say(`{"op":1,"d":null}`)
			}
			time.Sleep(time.Minute)
		}
		for range 121 {
			c.say(`{"op":1,"d":null}`)
		}
		if last := c.heard[len(c.heard)-1]; last != "close 4008" {
			t.Errorf("heard %s in the end", last)
		}
	})
}

// TestSessionsStartFiveSecondsApart: an IDENTIFY that comes sooner is answered with op 9, and one that is refused starts none.
func TestSessionsStartFiveSecondsApart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{Identify: func(who fakegateway.Identify) (map[string]any, []fakegateway.Event, int) {
			if who.Intents == 0 {
				return nil, nil, 4013
			}
			return nil, nil, 0
		}})
		for _, step := range []struct {
			after time.Duration
			says  string
			heard string
		}{
			{0, `{"op":2,"d":{"token":"secret"}}`, "close 4013"},
			{0, identify, "READY 1"},
			{0, identify, "op 9 false"},
			{0, `{"op":2,"d":{"token":"other","intents":512}}`, "READY 1"},
			{5*time.Second - time.Nanosecond, identify, "op 9 false"},
			{time.Nanosecond, identify, "READY 1"},
		} {
			time.Sleep(step.after)
			c := connect(t, l, address)
			c.say(step.says)
			c.require("op 10", step.heard)
		}
		if n, reset := s.Starts("secret"); n != 2 || reset != 24*time.Hour-5*time.Second {
			t.Errorf("%d starts, the first of which is forgotten in %v", n, reset)
		}
		time.Sleep(24 * time.Hour)
		if n, _ := s.Starts("secret"); n != 0 {
			t.Errorf("%d starts a day later", n)
		}
	})
}
