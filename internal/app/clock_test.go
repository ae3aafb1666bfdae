package app

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// TestPromptsTellTheTimeOfWhatHappensLater: a model computes "tomorrow at 9" from it.
func TestPromptsTellTheTimeOfWhatHappensLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner")
		now := func() time.Time { return time.Now().Add(30 * time.Hour) }
		var read string
		model := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
			read = req.Messages[0].Text
			return script.Answer{script.Text("Hello.")}.Stream(ctx)
		})
		bot, err := NewBot(apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: model, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		stop := apptest.Start(bot)
		want := now().UTC().Format("2 January 2006, 15:04")
		w.MustSay("ada", "general", "what time is it?")
		time.Sleep(5 * time.Second)
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(read, want) {
			t.Errorf("%q is missing in\n%s", want, read)
		}
	})
}
