package flow_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/llm/script"
)

// TestAnAnswerIsDeliveredAfterAnOutage: Discord refuses all requests for a while. The model is not called again, and
// there is one reply.
func TestAnAnswerIsDeliveredAfterAnOutage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		after time.Duration // the question
		lasts time.Duration
	}{
		{"before the placeholder", 0, 3 * time.Minute},
		{"before the final edit, for long", 2 * time.Second, 10 * time.Minute},
		{"before the final edit, and back when the reply says that it failed", 2 * time.Second, 22 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, "guild disco: #general #status\nmember ada: owner", func(h *host) {
				model := script.New(script.Answer{script.Text(apptest.Indeed), script.Pause(3 * time.Second), script.Text(" And so on.")})
				h.model = model
				h.start()
				time.Sleep(time.Minute)
				if tt.after == 0 {
					h.Fail(outOfOrder)
				}
				asked := h.ask("is it?")
				time.Sleep(tt.after)
				h.Fail(outOfOrder)
				time.Sleep(tt.lasts)
				h.Recover()
				time.Sleep(5 * time.Minute)
				h.stop()
				h.answeredIn(1, "in the end", "general", asked, "Indeed. And so on.")
				if len(h.Messages("general")) != 2 || !strings.HasSuffix(h.last("general"), "Indeed. And so on.") || len(model.Requests()) != 1 {
					t.Errorf("the model was asked %d times:\n%s", len(model.Requests()), h.Transcript())
				}
				h.shows(0, "status", "failed") // since the reply has come
			}, "DISCOCLAW_STATUS_CHANNEL=status")
		})
	}
}
