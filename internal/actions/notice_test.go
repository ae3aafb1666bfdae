package actions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
)

func TestNotices(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	flags := actionstest.Open(reg, "tasks", "memory")
	flags["moderation"] = actions.Switch{Why: "the moderation actions are off", Remedy: "set MODERATION=1"}
	listed := actions.Only([]string{"taskShow"}, "not in this job's allowedActions")
	many := make([]string, 12)
	for i := range many {
		many[i] = fmt.Sprintf("zap%d", i)
	}
	for _, tt := range []struct {
		name      string
		stripped  []string
		malformed []actions.Malformed
		want      []string
	}{
		{"nothing to say", nil, nil, nil},
		{"one remedy for two types, said once", []string{"ban", "kick", "ban"}, nil, []string{
			"Ignored `ban`, `kick`: the moderation actions are off; set MODERATION=1."}},
		{"not in a job's list", []string{"taskClose", "memoryShow"}, nil, []string{
			"Blocked action `taskClose` (not in this job's allowedActions).",
			"Blocked action `memoryShow` (not in this job's allowedActions)."}},
		{"unknown", []string{"launchRocket"}, nil, []string{
			"Ignored unavailable action type: `launchRocket` (unknown type or category disabled)."}},
		{"several unknown, blank and padded ones", []string{" zap ", "zap", "", "  ", "pow"}, nil, []string{
			"Ignored unavailable action types: `zap`, `pow` (unknown type or category disabled)."}},
		{"padded, so it is not the type it looks like", []string{" taskShow"}, nil, []string{
			"Ignored unavailable action type: `taskShow` (unknown type or category disabled)."}},
		{"names that would break the line", []string{"a`b\nc", strings.Repeat("x", 99)}, nil, []string{
			"Ignored unavailable action types: `a'b c`, `" + strings.Repeat("x", 60) + "…` (unknown type or category disabled)."}},
		{"more than fit", many, nil, []string{
			"Ignored unavailable action types: `zap0`, `zap1`, `zap2`, `zap3`, `zap4`, `zap5`, `zap6`, `zap7`, `zap8`, `zap9` and 2 more (unknown type or category disabled)."}},
		{"malformed", nil, []actions.Malformed{{Flaw: actions.NotJSON}, {Flaw: actions.CutOff}, {Flaw: actions.NoType}, {Flaw: actions.NotJSON}}, []string{
			"Ignored 4 unreadable action blocks (2 not valid JSON, 1 cut off before its end, 1 without a type). Ask again if something is missing."}},
		{"one malformed", nil, []actions.Malformed{{Flaw: actions.CutOff}}, []string{
			"Ignored 1 unreadable action block (1 cut off before its end). Ask again if something is missing."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := reg.Gate(flags, listed).Notices(tt.stripped, tt.malformed)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMentionsMatchesStemsOfWords(t *testing.T) {
	h := actions.Hint{Text: "Please set REMINDERS for café-events; it's éclair time"}
	for stem, want := range map[string]bool{"remind": true, "event": true, "café": true, "minder": false, "vent": false, "éclair": true, "time": true, "set remind": true, "events it": true, "set  remind": false} {
		if got := h.Mentions(stem); got != want {
			t.Errorf("Mentions(%q) = %v, want %v", stem, got, want)
		}
	}
	if h.Mentions() {
		t.Error("mentions nothing at all")
	}
}
