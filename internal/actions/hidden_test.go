package actions_test

import (
	"errors"
	"testing"

	"discoclaw/internal/actions"
)

// TestLinesHideNothing: errors and results may quote anything.
func TestLinesHideNothing(t *testing.T) {
	t.Parallel()
	act := &actions.Action{Name: "act"}
	for _, tt := range []struct {
		out  actions.Outcome
		want string
	}{
		{actions.Outcome{Action: act, Err: errors.New("a\u202eb")}, "Failed: ab"},
		{actions.Outcome{Request: actions.Request{Type: "no\u200bne"}, Err: errors.New("a\u202eb")}, "Failed: `none`: ab"},
		{actions.Outcome{Action: act, Result: actions.Result{Summary: "a\u202eb"}}, "Done: ab"},
	} {
		if got := tt.out.Line(); got != tt.want {
			t.Errorf("%+q, want %q", got, tt.want)
		}
	}
	if got := (actions.Outcome{Action: act, Result: actions.Result{Found: "a\u202eb"}}).Told(); got != "Done: ab" {
		t.Errorf("told %+q", got)
	}
}
