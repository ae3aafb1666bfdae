package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/config"
	"discoclaw/internal/test/golden"
)

func mustCore(t testing.TB, env config.Env) *Core {
	t.Helper()
	core, err := NewCore(env)
	if err != nil {
		t.Fatal(err)
	}
	return core
}

func TestGeneratedFiles(t *testing.T) {
	core := mustCore(t, config.Env{})
	golden.Equal(t, "../../.env.example", example(core.Variables(), false))
	golden.Equal(t, "../../.env.example.full", example(core.Variables(), true))
}

// TestExamplesAreValidSettings: the generated files are read as a person would use them, with every
// commented-out line switched on.
func TestExamplesAreValidSettings(t *testing.T) {
	core := mustCore(t, config.Env{})
	for _, full := range []bool{false, true} {
		text := strings.ReplaceAll(example(core.Variables(), full), "\n#", "\n")
		var lines []string
		for line := range strings.SplitSeq(text, "\n") {
			if name, _, ok := strings.Cut(line, "="); ok && !strings.Contains(name, " ") {
				lines = append(lines, line)
			}
		}
		env := config.NewEnv(lines)
		if full && len(env) < 8 {
			t.Fatalf("only %d settings have a value", len(env))
		}
		if read := mustCore(t, env); len(read.Warnings) > 0 {
			t.Error(read.Warnings)
		}
	}
}

func TestAllConfigProblemsAreReportedTogether(t *testing.T) {
	_, err := NewCore(config.Env{
		"DISCOCLAW_DISCORD_ACTIONS": "aye", "DISCOCLAW_DISCORD_ACTIONS_UTILITY": "maybe", "DISCOCLAW_ACTION_FOLLOWUP_DEPTH": "-1",
	})
	var problems *config.Error
	if !errors.As(err, &problems) {
		t.Fatalf("error %v", err)
	}
	want := []string{
		`DISCOCLAW_ACTION_FOLLOWUP_DEPTH: "-1" is not a whole number from 0 to 10`,
		`DISCOCLAW_DISCORD_ACTIONS: "aye" is not one of 1, true, yes, on, 0, false, no, off`,
		`DISCOCLAW_DISCORD_ACTIONS_UTILITY: "maybe" is not one of 1, true, yes, on, 0, false, no, off`,
	}
	if diff := cmp.Diff(want, problems.Problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWarnings(t *testing.T) {
	core := mustCore(t, config.Env{
		"DISCOCLAW_DISCORD_ACTIONS": "0", "DISCOCLAW_DISCORD_ACTIONS_UTILITY": "1",
		"DISCOCLAW_DISCORD_ACTIONS_UTILTY": "1", "DISCOCLAW_SOMETHING_ELSE_ENTIRELY": "1",
	})
	want := []string{
		"DISCOCLAW_DISCORD_ACTIONS_UTILITY has no effect while DISCOCLAW_DISCORD_ACTIONS is off",
		"DISCOCLAW_DISCORD_ACTIONS_UTILTY is set, but nothing reads it; did you mean DISCOCLAW_DISCORD_ACTIONS_UTILITY?",
		"DISCOCLAW_SOMETHING_ELSE_ENTIRELY is set, but nothing reads it",
	}
	if diff := cmp.Diff(want, core.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnInvalidActivityIsAConfigError(t *testing.T) {
	_, err := NewCore(config.Env{"DISCOCLAW_BOT_ACTIVITY": strings.Repeat("x", 129), "DISCOCLAW_BOT_ACTIVITY_TYPE": "watching"})
	var list *config.Error
	if !errors.As(err, &list) || len(list.Problems) != 1 || !strings.Contains(list.Problems[0], "DISCOCLAW_BOT_ACTIVITY: the activity has 129 characters") {
		t.Errorf("%v", err)
	}
}

func TestATooLongNameIsAConfigError(t *testing.T) {
	_, err := NewCore(config.Env{"DISCOCLAW_BOT_NAME": strings.Repeat("x", 33)})
	var list *config.Error
	if !errors.As(err, &list) || len(list.Problems) != 1 || !strings.Contains(list.Problems[0], "DISCOCLAW_BOT_NAME: the name has 33 characters") {
		t.Errorf("%v", err)
	}
	mustCore(t, config.Env{"DISCOCLAW_BOT_NAME": strings.Repeat("x", 32)})
}
