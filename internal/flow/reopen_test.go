package flow

import (
	"errors"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/flow/pipeline"
)

func TestAQuestionIsReopenedOnlyForLackOfRights(t *testing.T) {
	t.Parallel()
	lack := func(who chat.UserID, needs string) actions.Outcome {
		return actions.Outcome{Err: errors.New("permission denied"), Lack: &actions.Lack{User: who, Needs: needs}}
	}
	changed := actions.Outcome{Action: &actions.Action{}}
	found := actions.Outcome{Action: &actions.Action{Effect: actions.Queries}}
	for name, tt := range map[string]struct {
		outs []actions.Outcome
		want string
	}{
		"nothing asked for":    {nil, ""},
		"one right":            {[]actions.Outcome{lack("zed", "b")}, "b"},
		"two, one of it twice": {[]actions.Outcome{lack("zed", "b"), lack("zed", "a"), lack("zed", "b")}, "a, b"},
		"after a look":         {[]actions.Outcome{found, lack("zed", "b")}, "b"},
		"a look alone":         {[]actions.Outcome{found}, ""},
		"something was done":   {[]actions.Outcome{lack("zed", "b"), changed}, ""},
		"something waits":      {[]actions.Outcome{lack("zed", "b"), {Action: &actions.Action{}, Pending: &actions.Pending{}}}, ""},
		"another failure":      {[]actions.Outcome{lack("zed", "b"), {Err: errors.New("no such role")}}, ""},
		"the asker lacks it":   {[]actions.Outcome{lack("zed", "b"), lack("ada", "a")}, ""},
	} {
		if got := strings.Join(lackedAlone(tt.outs, "zed"), ", "); got != tt.want {
			t.Errorf("%s: needs %q, want %q", name, got, tt.want)
		}
	}
}

// TestAResumedAnswerLeavesAReopenedQuestionOpen: the answer itself has reopened it, before the process was killed.
func TestAResumedAnswerLeavesAReopenedQuestionOpen(t *testing.T) {
	t.Parallel()
	f := withQuestions(t)
	q, _, err := f.choices.Match(t.Context(), "10", "✅")
	if err != nil {
		t.Fatal(err)
	}
	answer := pipeline.Event[*reaction]{Arrival: pipeline.Resumed, Body: &reaction{
		Reacted: chat.Reacted{User: chat.User{ID: "ada"}, Emoji: "✅", Place: chat.Place{Message: "10"}}, question: &q,
	}}
	answer.Place = answer.Body.Place
	resume := func() {
		t.Helper()
		if why, err := f.resumed(t.Context(), answer, true); why != "" || err != nil {
			t.Fatal(why, err)
		}
	}
	if resume(); waits(t, f, "10") {
		t.Fatal("the question waits though it was answered")
	}
	if ok, err := f.choices.Reopen(t.Context(), q, "ada"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if resume(); !waits(t, f, "10") {
		t.Error("the question is closed by the answer that opened it")
	}
}
