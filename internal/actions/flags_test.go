package actions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/config"
)

func TestFlagsFromEnv(t *testing.T) {
	cats := []actions.Category{
		actionstest.Category{Called: "plain", Switch: actions.Flag{Env: "PLAIN", Default: true}},
		actionstest.Category{Called: "risky", Switch: actions.Flag{Env: "RISKY"}},
		actionstest.Category{Called: "guest", Switch: actions.Flag{Shares: "risky"}},
		actionstest.Category{Called: "always", Switch: actions.Flag{Always: true}},
		actionstest.Category{Called: "voice", Switch: actions.Flag{Env: "VOICE", Needs: []actions.Requirement{{AnyOf: []string{"VOICE_ENABLED"}, Switch: true}}}},
		actionstest.Category{Called: "image", Switch: actions.Flag{Env: "IMAGE", Needs: []actions.Requirement{{AnyOf: []string{"KEY_A", "KEY_B"}}}}},
		actionstest.Category{Called: "tasks", Switch: actions.Flag{Env: "TASKS", Default: true, Part: "TASKS_ENABLED"}},
	}
	const master = actions.MasterSwitch
	for _, tt := range []struct {
		name    string
		env     config.Env
		on      []string
		people  []string          // what is on for people alone
		reasons map[string]string // of some that are off
		ignored []string
	}{
		{"nothing set", config.Env{}, []string{"plain", "always", "tasks"}, nil, map[string]string{
			"risky": "risky actions are switched off here; set RISKY=1",
			"guest": "risky actions are switched off here; set RISKY=1",
		}, nil},
		{"all switches on, prerequisites missing", config.Env{"RISKY": "1", "VOICE": "1", "IMAGE": "1", "TASKS_ENABLED": "0"}, []string{"plain", "risky", "guest", "always"}, nil, map[string]string{
			"voice": "voice is not set up here; set VOICE_ENABLED=1",
			"image": "image actions are not set up here; set KEY_A or KEY_B",
			"tasks": "tasks are switched off here; set TASKS_ENABLED=1",
		}, nil},
		{"left to people", config.Env{"TASKS": "0"}, []string{"plain", "always"}, []string{"tasks"}, map[string]string{
			"tasks": "tasks are not mine to change here; people have commands for that; set TASKS=1",
		}, nil},
		{"a part that is off comes first", config.Env{"TASKS": "0", "TASKS_ENABLED": "0"}, []string{"plain", "always"}, nil, map[string]string{
			"tasks": "tasks are switched off here; set TASKS_ENABLED=1",
		}, nil},
		{"prerequisites met", config.Env{"VOICE": "1", "IMAGE": "1", "VOICE_ENABLED": "1", "KEY_B": "x"}, []string{"plain", "always", "voice", "image", "tasks"}, nil, nil, nil},
		{"master off", config.Env{master: "0", "PLAIN": "1", "RISKY": "maybe", "VOICE": "1", "TASKS": "0"}, nil, []string{"tasks"}, map[string]string{
			"plain":  "all actions are switched off here; set " + master + "=1",
			"guest":  "all actions are switched off here; set " + master + "=1",
			"always": "all actions are switched off here; set " + master + "=1",
		}, []string{"PLAIN", "VOICE"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags, people, ignored, err := actions.FlagsFromEnv(tt.env, cats)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cats {
				if got, want := flags[c.Name()].On, slices.Contains(tt.on, c.Name()); got != want {
					t.Errorf("%s is on: %v, want %v", c.Name(), got, want)
				}
				if got, want := people[c.Name()].On, slices.Contains(slices.Concat(tt.on, tt.people), c.Name()); got != want {
					t.Errorf("%s is on for people: %v, want %v", c.Name(), got, want)
				}
			}
			for name, want := range tt.reasons {
				if got := flags[name].Why + "; " + flags[name].Remedy; got != want {
					t.Errorf("%s: %s, want %s", name, got, want)
				}
			}
			if diff := cmp.Diff(tt.ignored, ignored); diff != "" {
				t.Errorf("ignored (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFlagsFromEnvReportsEveryBadValue(t *testing.T) {
	cats := []actions.Category{
		actionstest.Category{Called: "a", Switch: actions.Flag{Env: "A"}},
		actionstest.Category{Called: "b", Switch: actions.Flag{Env: "B", Default: true, Needs: []actions.Requirement{{AnyOf: []string{"B_ENABLED"}, Switch: true}}}},
	}
	_, _, _, err := actions.FlagsFromEnv(config.Env{actions.MasterSwitch: "aye", "A": "nay", "B": "0", "B_ENABLED": "2"}, cats)
	want := strings.Join([]string{
		actions.MasterSwitch + `: "aye" is not one of 1, true, yes, on, 0, false, no, off`,
		`A: "nay" is not one of 1, true, yes, on, 0, false, no, off`,
		`B_ENABLED: "2" is not one of 1, true, yes, on, 0, false, no, off`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
}
