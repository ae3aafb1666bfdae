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

// TestAnswersHavePreviewsOnlyForWhoMayEmbedLinks: the answer to a requester without that right is as their own message would be, also the part
// that does not fit the first message.
func TestAnswersHavePreviewsOnlyForWhoMayEmbedLinks(t *testing.T) {
	for who, hidden := range map[string]bool{"ada": false, "bob": true} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember bob\ndeny #general bob: Embed Links\n")
				env := apptest.Env(t, w)
				env["DISCORD_ALLOW_USER_IDS"] = string(w.UserID("ada")) + "," + string(w.UserID("bob"))
				env["DISCOCLAW_RESPOND"], env["DISCOCLAW_LINK_PREVIEWS"] = "all", "on"
				text := "https://example.com " + strings.Repeat("word ", 500) + "https://example.com"
				bot, err := NewBot(env, Externals{HTTP: w.HTTP(), Runtime: script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
					return script.Say(text).Stream(ctx)
				})})
				if err != nil {
					t.Fatal(err)
				}
				stop := apptest.Start(bot)
				synctest.Wait()
				w.MustSay(who, "general", "hello")
				time.Sleep(10 * time.Second)
				synctest.Wait()
				answers := w.Messages("general")[1:]
				for _, m := range answers {
					if m.EmbedsHidden() != hidden {
						t.Errorf("hidden in %q: %t", m.Content[:20], !hidden)
					}
				}
				if len(answers) != 2 {
					t.Errorf("%d messages", len(answers))
				}
				if _, err := stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
