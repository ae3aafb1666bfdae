package app

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/store"
)

// TestWhatIsSaidWhileTheDiskIsStuckIsAnsweredOnce: it is not accepted, and then the process is
// killed. The next one finds the message.
func TestWhatIsSaidWhileTheDiskIsStuckIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env := apptest.Env(t, w)
		e := &killer{next: w.HTTP().Transport}
		bot, stop := begins(t, env, Outside{HTTP: &http.Client{Transport: e}, Runtime: apptest.Endless(), Log: t.Output()})
		time.Sleep(time.Minute)
		stuck := make(chan struct{})
		go func() { _ = bot.core.db.Tx(t.Context(), func(*store.Tx) error { <-stuck; return nil }) }()
		synctest.Wait()
		w.MustSay("ada", "general", "hello")
		time.Sleep(20 * time.Second)
		close(stuck)
		synctest.Wait()
		if n := len(w.Messages("general")); n != 2 || !strings.Contains(apptest.Last(w, "general"), "I cannot write anything down at the moment") {
			t.Errorf("%d messages\n%s", n, w.Transcript())
		}
		e.arm(1, func() { _ = bot.core.db.Close() })
		e.step("killed")
		_, _ = stop()
		w.Gateway().ForgetSessions()
		slow := &reading{RoundTripper: w.HTTP().Transport}
		_, stop = begins(t, env, Outside{HTTP: &http.Client{Transport: slow}, Runtime: apptest.Talkative(), Log: t.Output()})
		time.Sleep(time.Minute)
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if apptest.Last(w, "general") != "Indeed." || len(w.Messages("general")) != 3 {
			t.Error(w.Transcript())
		}
	})
}
