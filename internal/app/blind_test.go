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

// TestWhoCannotReadWhatWasSaidIsNotToldOfItLater: of somebody who writes while the bot is
// off, it hears nothing but the message; not what they may read.
func TestWhoCannotReadWhatWasSaidIsNotToldOfItLater(t *testing.T) {
	t.Parallel()
	for _, goesOn := range []bool{false, true} { // the session with Discord
		t.Run(fmt.Sprintf("the session goes on: %v", goesOn), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember ben\n")
				if err := w.Deny("general", "ben", chat.ReadHistory); err != nil {
					t.Fatal(err)
				}
				env := apptest.Env(t, w, "DISCORD_ALLOW_USER_IDS="+string(w.UserID("ada"))+","+string(w.UserID("ben")), "DISCOCLAW_RESPOND=all")
				if goesOn {
					env["DISCOCLAW_CATCHUP_MINUTES"] = "0" // it is told, and need not be read
				}
				model := script.New(script.Say("Noted."), script.Say("Nothing."))
				up := func() func() {
					_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: model, Log: t.Output()})
					return func() {
						time.Sleep(time.Minute)
						if _, err := stop(); err != nil {
							t.Error(err)
						}
						if !goesOn {
							w.Gateway().ForgetSessions()
						}
					}
				}
				stop := up()
				w.MustSay("ada", "general", "the word is swordfish")
				stop()
				asked := w.MustSay("ben", "general", "what did ada say?").ID
				up()()
				if apptest.Answers(t, w, "general", asked, "Nothing.") != 1 {
					t.Fatalf("no answer:\n%s", w.Transcript())
				}
				if got := fmt.Sprint(model.Requests()[1]); strings.Contains(got, "swordfish") {
					t.Errorf("the model was told:\n%s", got)
				}
			})
		})
	}
}
