package app

import (
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

// TestAPlainTurnCommitsFewTimes: each commit waits for the disk, and the person who asked waits
// with it. Periodic saves are not counted.
func TestAPlainTurnCommitsFewTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember eve\n")
		var after int64
		var bot *Bot
		out := Externals{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hello.")), Answered: func(turn.Report) { after = bot.core.db.Commits() }}
		bot, stop := begins(t, apptest.Env(t, w), out)
		time.Sleep(time.Minute)
		w.MustSay("eve", "general", "not for the bot") // the position in the session is saved now, and at most once a second
		synctest.Wait()
		before := bot.core.db.Commits()
		w.MustSay("ada", "general", "hi")
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := after - before; n != 5 {
			t.Errorf("%d commits", n)
		}
		_, _ = stop()
	})
}
