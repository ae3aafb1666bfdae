package runtimes

import (
	"os"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/mcp/servers"
)

// open opens the runtimes of an environment.
func open(t *testing.T, env config.Env) *Set {
	t.Helper()
	cfg, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Config: cfg, Servers: servers.New(servers.Options{})})
}

// TestTheRuntimeIsChosenByKey, in a fixed order, unless the settings name one.
func TestTheRuntimeIsChosenByKey(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  config.Env
		want llm.Choice
		at   string
	}{
		{"OpenAI", config.Env{"OPENAI_API_KEY": "k", "OPENROUTER_API_KEY": "k"}, llm.Choice{Model: "gpt-6-sol"}, "openai"},
		{"another server", config.Env{"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, llm.Choice{Model: "gpt-4o"}, "openai"},
		{"OpenRouter", config.Env{"OPENROUTER_API_KEY": "k"}, llm.Choice{Model: "openrouter/auto"}, "openrouter"},
		{"the one that is named", config.Env{"OPENAI_API_KEY": "k", "OPENROUTER_API_KEY": "k", "PRIMARY_RUNTIME": "openrouter"}, llm.Choice{Model: "openrouter/auto"}, "openrouter"},
		{"a role's own", config.Env{"OPENAI_API_KEY": "k", "OPENROUTER_API_KEY": "k", "RUNTIME_MODEL": "openrouter:deep"}, llm.Choice{Runtime: "openrouter", Model: "openrouter/auto"}, "openai"},
		{"a runtime as the model", config.Env{"OPENAI_API_KEY": "k", "OPENROUTER_API_KEY": "k", "RUNTIME_MODEL": "openrouter"}, llm.Choice{Runtime: "openrouter", Model: "openrouter/auto"}, "openai"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.env)
			if got := s.Models.Resolved(roles.Chat); got != tt.want || s.Primary != tt.at {
				t.Errorf("got %+v at %s, want %+v at %s", got, s.Primary, tt.want, tt.at)
			}
		})
	}
}

// TestWhatIsNotSetUpIsSaidAtTheStart, with its remedy.
func TestWhatIsNotSetUpIsSaidAtTheStart(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  config.Env
		want []string
	}{
		{"all is well", config.Env{"OPENAI_API_KEY": "k"}, nil},
		{"the primary one", config.Env{"OPENAI_API_KEY": "k", "PRIMARY_RUNTIME": "openrouter"}, []string{"PRIMARY_RUNTIME: openrouter is not set up: set OPENROUTER_API_KEY"}},
		{"a role", config.Env{"OPENAI_API_KEY": "k", "FORGE_AUDITOR_MODEL": "openrouter:deep"}, []string{"the model of the role forge-auditor: openrouter is not set up here; set OPENROUTER_API_KEY"}},
		{"a fallback", config.Env{"OPENAI_API_KEY": "k", "DISCOCLAW_FALLBACK_MODELS": "gpt-6-luna, openrouter:fast"}, []string{"DISCOCLAW_FALLBACK_MODELS: openrouter is not set up here; set OPENROUTER_API_KEY"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := open(t, tt.env).Problems(); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestClaudeCodeGetsTheLimitOfARun(t *testing.T) {
	s := open(t, config.Env{"PRIMARY_RUNTIME": "claude", "CLAUDE_BIN": os.Args[0], "RUNTIME_MAX_BUDGET_USD": "0.5"})
	if len(s.programs) == 0 || s.programs[0].MaxUSD != 0.5 {
		t.Errorf("the programs are %+v", s.programs)
	}
}

func TestConfiguredModelsReachTheirRoles(t *testing.T) {
	s := open(t, config.Env{
		"RUNTIME_MODEL": "a", "DISCOCLAW_FAST_MODEL": "b", "FORGE_DRAFTER_MODEL": "c", "FORGE_AUDITOR_MODEL": "d",
		"DISCOCLAW_SUMMARY_MODEL": "e", "DISCOCLAW_CRON_AUTO_TAG_MODEL": "f", "DISCOCLAW_CRON_EXEC_MODEL": "g", "DISCOCLAW_PLAN_RUN_MODEL": "h",
		"DISCOCLAW_CONSENT_MODEL": "i",
	})
	var got []string
	for role, model := range roleModels(s.Config.Models) {
		got = append(got, string(role)+"="+model)
	}
	joined := strings.Join(got, " ")
	for _, want := range []string{"chat=a", "fast=b", "forge-drafter=c", "forge-auditor=d", "summary=e", "consent=i", "cron=f", "cron-exec=g", "plan-run=h"} {
		if !strings.Contains(joined, want) {
			t.Errorf("%s is missing in %s", want, joined)
		}
	}
}

// TestTheSettingKnowsEveryRuntime: PRIMARY_RUNTIME names one.
func TestTheSettingKnowsEveryRuntime(t *testing.T) {
	for _, v := range config.Variables() {
		if v.Name == "PRIMARY_RUNTIME" && !slices.Equal(v.Enum, names()) {
			t.Errorf("PRIMARY_RUNTIME may be %v, and the runtimes are %v", v.Enum, names())
		}
	}
}

// TestExampleModelsAreTheDefaults: the settings file claims that these models are used if nothing
// is set.
func TestExampleModelsAreTheDefaults(t *testing.T) {
	env := config.Env{}
	for _, v := range config.Variables() {
		if strings.HasPrefix(v.Doc, "Role ") && v.Default != "" {
			env[v.Name] = v.Default
		}
	}
	cfg, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	shown := roles.New(roles.Options{Models: roleModels(cfg.Models)}).All()
	for i, builtIn := range roles.New(roles.Options{}).All() {
		if shown[i].Model != builtIn.Model {
			t.Errorf("%s: the file says %s, built in is %s", builtIn.Role, shown[i].Model, builtIn.Model)
		}
	}
}
