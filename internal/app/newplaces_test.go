package app

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// TestANewPlaceIsNotForgotten: it was made while the bot was away, and others are talked in
// before what is said there can be read.
func TestANewPlaceIsNotForgotten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		early bool // something is said there before the bot comes back, but cannot be read then
	}{
		{"one that cannot be read at first", true},
		{"one that is empty at first", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
				live := func(during func()) {
					_, stop := begins(t, env, out)
					time.Sleep(time.Minute)
					w.MustSay("ada", "general", "hello")
					time.Sleep(time.Minute)
					during()
					if _, err := stop(); err != nil {
						t.Error(err)
					}
					w.Gateway().ForgetSessions()
				}
				live(func() {})
				if _, err := w.AddChannel("#news"); err != nil {
					t.Fatal(err)
				}
				var said chat.MessageID
				if tt.early {
					said = w.MustSay("ada", "news", "is anybody here?").ID
					w.Fail(fakediscord.Fault{Match: "GET /channels/{channel}/messages", Status: http.StatusBadGateway})
				}
				live(w.Recover)
				if !tt.early {
					said = w.MustSay("ada", "news", "is anybody here?").ID
				}
				live(func() {})
				if n := apptest.Answers(t, w, "news", said, "Indeed."); n != 1 {
					t.Errorf("%d answers\n%s", n, w.Transcript())
				}
			})
		})
	}
}
