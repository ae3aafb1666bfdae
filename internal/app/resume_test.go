package app

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
)

// TestRestarts: what is said before, while and after the bot is restarted is answered
// once each, whether or not Discord keeps its session.
func TestRestarts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		meanwhile func(w *discordtest.World)
		away      time.Duration
		resumes   int
		identify  int
	}{
		{name: "at once", resumes: 1, identify: 1},
		{name: "after a while", away: 2 * time.Minute, resumes: 1, identify: 1},
		{name: "after Discord has given the session up", away: 50 * time.Minute, resumes: 1, identify: 2,
			meanwhile: func(w *discordtest.World) { w.Gateway().ForgetSessions() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				env := apptest.Env(t, w)
				out := Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative()}
				_, stop := begins(t, env, out)
				said := []chat.MessageID{w.MustSay("ada", "general", "before").ID}
				time.Sleep(time.Minute)
				if _, err := stop(); err != nil {
					t.Fatal(err)
				}
				said = append(said, w.MustSay("ada", "general", "meanwhile").ID)
				time.Sleep(tt.away)
				if tt.meanwhile != nil {
					tt.meanwhile(w)
				}
				_, stop = begins(t, env, out)
				time.Sleep(time.Minute)
				said = append(said, w.MustSay("ada", "general", "after").ID)
				time.Sleep(time.Minute)
				if _, err := stop(); err != nil {
					t.Fatal(err)
				}
				const want = "1 1 1"
				if got := fmt.Sprint(apptest.Answers(t, w, "general", said[0], "Indeed."), apptest.Answers(t, w, "general", said[1], "Indeed."), apptest.Answers(t, w, "general", said[2], "Indeed.")); got != want {
					t.Errorf("answers %s, want %s\n%s", got, want, w.Transcript())
				}
				if n := w.Gateway().Counts(); n.Identifies != tt.identify || n.Resumes != tt.resumes {
					t.Errorf("%d IDENTIFYs and %d RESUMEs, want %d and %d", n.Identifies, n.Resumes, tt.identify, tt.resumes)
				}
			})
		})
	}
}

// TestARestartIsAskedForOnce: the message that asks for it is not heard again by the bot
// that it leads to.
func TestARestartIsAskedForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative()}
		_, stop := begins(t, env, out)
		w.MustSay("ada", "general", "!restart")
		time.Sleep(time.Minute)
		if _, err := stop(); !errors.Is(err, ErrRestart) {
			t.Fatalf("it ended with %v", err)
		}
		bot, stop := begins(t, env, out)
		time.Sleep(time.Minute)
		if bot.process.asked.Load() {
			t.Error("it was asked for again")
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}
