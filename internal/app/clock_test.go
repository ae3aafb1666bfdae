package app

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
)

// clocks are how far this machine's clock may be ahead of Discord's.
var clocks = []time.Duration{0, time.Hour, -time.Hour}

// withClocks runs a test in a bubble for each of the clocks.
func withClocks(t *testing.T, test func(t *testing.T, w *discordtest.World)) {
	t.Helper()
	for _, ahead := range clocks {
		t.Run(fmt.Sprint(ahead, " ahead"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				apptest.SetClock(w, 0, ahead)
				test(t, w)
			})
		})
	}
}

// TestTheAgeOfAReactedMessageIsByDiscordsClock: what somebody reacts to a moment later is
// not old, and what is old is not young.
func TestTheAgeOfAReactedMessageIsByDiscordsClock(t *testing.T) {
	t.Parallel()
	withClocks(t, func(t *testing.T, w *discordtest.World) {
		model := script.New(script.Say("Hello."), script.Say("Thanks."), script.Say("Too late."))
		_, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_REACTION_MAX_AGE_HOURS=0.5"), Outside{HTTP: w.HTTP(), Runtime: model, Log: t.Output()})
		said := w.MustSay("ada", "general", "hello").ID
		react := func(emoji chat.Emoji, want int) {
			t.Helper()
			if err := w.React("ada", said, emoji); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if got := len(model.Requests()); got != want {
				t.Errorf("the model was asked %d times, want %d", got, want)
			}
		}
		react("👍", 2)
		time.Sleep(31 * time.Minute)
		react("🔥", 2)
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestTheAgeOfACommandIsByDiscordsClock: a missed one is run if it is young, and left alone
// if it is old.
func TestTheAgeOfACommandIsByDiscordsClock(t *testing.T) {
	t.Parallel()
	withClocks(t, func(t *testing.T, w *discordtest.World) {
		env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
		missed := func(away time.Duration) (reply string) {
			_, stop := begins(t, env, out)
			w.MustSay("ada", "general", "hello")
			time.Sleep(time.Minute)
			if _, err := stop(); err != nil {
				t.Error(err)
			}
			w.Gateway().ForgetSessions()
			w.MustSay("ada", "general", "!help")
			time.Sleep(away)
			_, stop = begins(t, env, out)
			time.Sleep(time.Minute)
			if _, err := stop(); err != nil {
				t.Error(err)
			}
			return apptest.Last(w, "general")
		}
		if got := missed(10 * time.Second); !strings.Contains(got, "!status") {
			t.Errorf("after a moment: %s", got)
		}
		if got := missed(10 * time.Minute); !strings.Contains(got, "Write it again if you still want it") {
			t.Errorf("after a while: %s", got)
		}
	})
}
