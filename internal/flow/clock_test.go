package flow_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm/script"
)

// TestAgesAreMeasuredByDiscordsClock checks the age of messages that people react to, and of missed commands.
func TestAgesAreMeasuredByDiscordsClock(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
		t.Run("a reaction, this machine "+ahead.String()+" ahead", func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				apptest.SetClock(h.World, 0, ahead)
				model := script.New(script.Say("Hello."), script.Say("Thanks."), script.Say("Too late."))
				h.model = model
				h.start()
				said := h.ask("hello")
				react := func(emoji chat.Emoji, want int) {
					h.must(h.React("ada", said, emoji))
					time.Sleep(time.Minute)
					if got := len(model.Requests()); got != want {
						t.Errorf("%s: the model was asked %d times, want %d", emoji, got, want)
					}
				}
				react("👍", 2)
				time.Sleep(31 * time.Minute)
				react("🔥", 2)
				h.stop()
			}, "DISCOCLAW_REACTION_MAX_AGE_HOURS=0.5")
		})
		t.Run("a command, this machine "+ahead.String()+" ahead", func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				apptest.SetClock(h.World, 0, ahead)
				missed := func(off time.Duration) (reply string) {
					h.run(func() { h.ask("hello") })
					h.ask("!help")
					time.Sleep(off)
					h.run(nil)
					return h.last("general")
				}
				if got := missed(10 * time.Second); !strings.Contains(got, "!status") {
					t.Errorf("after a moment: %s", got)
				}
				if got := missed(10 * time.Minute); !strings.Contains(got, "Write it again if you still want it") {
					t.Errorf("after a while: %s", got)
				}
			})
		})
	}
}
