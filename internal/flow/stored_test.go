package flow

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/gather"
)

func TestSecretsAreNotStored(t *testing.T) {
	t.Parallel()
	answered := chat.Message{ID: "9", Text: "!secret set KEY=swordfish"}
	for _, stored := range []any{
		withoutReactions((&deps{self: &gather.Self{}}).tidy(chat.Message{ID: "10", Text: "what is that?", Answers: &answered})),
		withoutSecret(chat.Message{ID: "11", Text: "!secret set KEY=swordfish"}),
		withoutValues(chat.Invocation{Values: map[string]string{"value": "swordfish"}}),
	} {
		if text, err := json.Marshal(stored); err != nil || strings.Contains(string(text), "swordfish") {
			t.Errorf("%s, %v", text, err)
		}
	}
}

func TestALateAnswerSaysSo(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, tt := range []struct {
		ago  time.Duration
		want string
	}{
		{time.Minute, ""},
		{10 * time.Minute, "-# Late: asked " + chat.FromNow(now.Add(-10*time.Minute)) + ", while I was away."},
		{24 * time.Hour, "-# Late: asked " + chat.FromNow(now.Add(-24*time.Hour)) + ", while I was away."},
	} {
		if got := lateRemark(now.Add(-tt.ago), now); got != tt.want {
			t.Errorf("%v ago: %q, want %q", tt.ago, got, tt.want)
		}
	}
	if got := lateRemark(time.Time{}, now); got != "" {
		t.Errorf("what is not late: %q", got)
	}
}
