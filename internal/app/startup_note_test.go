package app

import (
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
)

// TestNewsIsNotSpentOnATurnThatFails: what is told once must be told to a model.
func TestNewsIsNotSpentOnATurnThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		bot, stop := begins(t, apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: script.New()})
		told := 0
		bot.flows.Workspace = burnt{}
		bot.flows.Startup = func(chat.UserID) string { told++; return "You were restarted." }
		w.MustSay("ada", "general", "hello")
		time.Sleep(time.Second)
		_, _ = stop()
		if told != 0 {
			t.Error("the news went to nobody")
		}
	})
}
