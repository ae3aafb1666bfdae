package flow

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
)

func TestSecretsAreNotStored(t *testing.T) {
	t.Parallel()
	answered := chat.Message{ID: "9", Text: "!secret set KEY=swordfish"}
	for _, stored := range []any{
		withoutReactions((&kit{}).tidy(chat.Message{ID: "10", Text: "what is that?", Answers: &answered})),
		withoutSecret(chat.Message{ID: "11", Text: "!secret set KEY=swordfish"}),
		withoutValues(chat.Invocation{Values: map[string]string{"value": "swordfish"}}),
	} {
		if text, err := json.Marshal(stored); err != nil || strings.Contains(string(text), "swordfish") {
			t.Errorf("%s, %v", text, err)
		}
	}
}

func TestResumedTurnsKeepTheirEvents(t *testing.T) {
	t.Parallel()
	var got []string
	for _, events := range byTurn([]inbox.Event{
		{ID: "1", Turn: "b", Begun: true}, {ID: "2", Turn: "x"}, {ID: "3", Turn: "b", Begun: true}, {ID: "4", Turn: "y"}, {ID: "5"}, {ID: "6"},
	}) {
		got = append(got, strings.Join(names(events), "+"))
	}
	if want := []string{"1+3", "2", "4", "5", "6"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
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

func names(events []inbox.Event) (list []string) {
	for _, id := range idsOf(events) {
		list = append(list, string(id))
	}
	return list
}
