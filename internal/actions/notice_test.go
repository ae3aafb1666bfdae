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
	flags["moderation"] = actions.Switch{Why: "moderation is switched off here", Remedy: "set MODERATION=1"}
	listed := actions.Only([]string{"taskShow"}, "not in this job's allowedActions")
	many := make([]string, 12)
	for i := range many {
		many[i] = fmt.Sprintf("zap%d", i)
	}
	for _, tt := range []struct {
		name            string
		round           actions.Round
		goesOn          bool
		member, besides []string // besides is what operators read instead
	}{
		{"nothing to say", actions.Round{}, false, nil, nil},
		{"one remedy for two types, said once", actions.Round{Stripped: []string{"ban", "kick", "ban"}}, true,
			[]string{"Moderation is switched off here."}, []string{"Moderation is switched off here; set MODERATION=1."}},
		{"not in a job's list", actions.Round{Stripped: []string{"taskClose", "memoryShow"}}, true,
			[]string{"Not done: not in this job's allowedActions."}, nil},
		{"unknown", actions.Round{Stripped: []string{"launchRocket"}}, false,
			[]string{"I tried something that I can't do, so that was not done."},
			[]string{"I tried something that I can't do, so that was not done: `launchRocket`."}},
		{"several unknown, blank and padded ones", actions.Round{Stripped: []string{" zap ", "zap", "", "  ", "pow", " taskShow"}}, false,
			[]string{"I tried something that I can't do, so that was not done."},
			[]string{"I tried something that I can't do, so that was not done: `zap`, `pow`, `taskShow`."}},
		{"names that would break the line", actions.Round{Stripped: []string{"a`b\nc", strings.Repeat("x", 99)}}, false,
			[]string{"I tried something that I can't do, so that was not done."},
			[]string{"I tried something that I can't do, so that was not done: `a'b c`, `" + strings.Repeat("x", 60) + "…`."}},
		{"more than fit", actions.Round{Stripped: many}, false,
			[]string{"I tried something that I can't do, so that was not done."},
			[]string{"I tried something that I can't do, so that was not done: `zap0`, `zap1`, `zap2`, `zap3`, `zap4`, `zap5`, `zap6`, `zap7`, `zap8`, `zap9` and 2 more."}},
		{"malformed", actions.Round{Malformed: []actions.Malformed{{Flaw: actions.NotJSON}, {Flaw: actions.CutOff}, {Flaw: actions.NoType}, {Flaw: actions.NotJSON}, {Flaw: actions.Unusable}}}, false,
			[]string{"I made a mistake in writing down 5 steps, so they were not done. Please ask again."},
			[]string{"I made a mistake in writing down 5 steps, so they were not done (2 not valid JSON, 1 cut off before its end, 1 without a type, 1 not usable). Please ask again."}},
		{"what the model is asked to mend", actions.Round{Stripped: []string{"launchRocket"}, Malformed: []actions.Malformed{{Flaw: actions.CutOff}}, Fenced: true}, true, nil, nil},
		{"in code", actions.Round{Fenced: true}, false, []string{"I wrote down what to do as code, which does not run: nothing of it was done. Please ask again."}, nil},
		{"fields that do not exist", actions.Round{Outcomes: []actions.Outcome{{Ignored: []string{"tags", "mood"}}, {Ignored: []string{"tags"}}}}, false,
			[]string{"Not all of it was done: I don't know what to do with `tags`, `mood`."}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			gate := reg.Gate(flags, listed)
			if diff := cmp.Diff(tt.member, gate.Notices(tt.round, !tt.goesOn, false)); diff != "" {
				t.Errorf("for a member (-want +got):\n%s", diff)
			}
			if tt.besides == nil {
				tt.besides = tt.member
			}
			if diff := cmp.Diff(tt.besides, gate.Notices(tt.round, !tt.goesOn, true)); diff != "" {
				t.Errorf("for an operator (-want +got):\n%s", diff)
			}
		})
	}
}
