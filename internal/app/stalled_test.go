package app

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/store"
)

// TestWhatIsSaidWhileTheDiskIsStuckIsAnsweredOnce: nothing is posted for a turn that cannot be
// written down, and then the process is killed. The next one finds the message.
func TestWhatIsSaidWhileTheDiskIsStuckIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, world)
		env := inWorld(t, w)
		e := &executioner{next: w.HTTP().Transport}
		bot, stop := begins(t, env, Outside{HTTP: &http.Client{Transport: e}, Runtime: endless(), Log: t.Output()})
		time.Sleep(time.Minute)
		stuck := make(chan struct{})
		go func() { _ = bot.core.db.Tx(t.Context(), func(*store.Tx) error { <-stuck; return nil }) }()
		synctest.Wait()
		said := w.MustSay("ada", "general", "hello").ID
		time.Sleep(20 * time.Second)
		close(stuck)
		synctest.Wait()
		if n := len(w.Messages("general")); n != 1 {
			t.Errorf("%d messages\n%s", n, w.Transcript())
		}
		e.arm(1, func() { _ = bot.core.db.Close() })
		e.step("killed")
		_, _ = stop()
		w.Gateway().ForgetSessions()
		slow := &reading{RoundTripper: w.HTTP().Transport}
		_, stop = begins(t, env, Outside{HTTP: &http.Client{Transport: slow}, Runtime: talkative(), Log: t.Output()})
		time.Sleep(time.Minute)
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if last(w, "general") != "Indeed." || len(repliesTo(w, "general", said)) != 1 {
			t.Error(w.Transcript())
		}
	})
}
