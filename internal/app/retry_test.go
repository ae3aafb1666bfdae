package app

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
)

// TestAnAnswerWaitsUntilDiscordIsBack: Discord refuses everything for a while. The model is
// not asked again, and the reader finds one reply.
func TestAnAnswerWaitsUntilDiscordIsBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		after time.Duration // the question
		lasts time.Duration
	}{
		{"before the reply is opened", 0, 3 * time.Minute},
		{"before the answer is shown, for long", 2 * time.Second, 10 * time.Minute},
		{"before the answer is shown, and back when it says that it failed", 2 * time.Second, 22 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general #status\nmember ada: owner")
				model := script.New(script.Answer{script.Text("Indeed."), script.Pause(3 * time.Second), script.Text(" And so on.")})
				_, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL=status"), Outside{HTTP: w.HTTP(), Runtime: model, Log: t.Output()})
				time.Sleep(time.Minute)
				if tt.after == 0 {
					w.Fail(fakediscord.Fault{Status: http.StatusServiceUnavailable})
				}
				asked := w.MustSay("ada", "general", "is it?").ID
				time.Sleep(tt.after)
				w.Fail(fakediscord.Fault{Status: http.StatusServiceUnavailable})
				time.Sleep(tt.lasts)
				w.Recover()
				time.Sleep(5 * time.Minute)
				if _, err := stop(); err != nil {
					t.Error(err)
				}
				if apptest.Answers(t, w, "general", asked, "Indeed. And so on.") != 1 || len(w.Messages("general")) != 2 || !strings.HasSuffix(apptest.Last(w, "general"), "Indeed. And so on.") || len(model.Requests()) != 1 {
					t.Errorf("the model was asked %d times:\n%s", len(model.Requests()), w.Transcript())
				}
				if told := apptest.Contents(w, "status"); strings.Contains(told, "failed") {
					t.Errorf("operators were told of a reply that has come:\n%s", told)
				}
			})
		})
	}
}
