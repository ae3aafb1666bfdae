package app

import (
	"os"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

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
			tt.env["DISCOCLAW_DATA_DIR"] = t.TempDir()
			tt.env["PATH"] = ""
			c, err := newCore(tt.env, Outside{})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.models.Resolved(roles.Chat); got != tt.want || c.primary != tt.at {
				t.Errorf("got %+v at %s, want %+v at %s", got, c.primary, tt.want, tt.at)
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
			tt.env["DISCOCLAW_DATA_DIR"], tt.env["DISCORD_TOKEN"] = t.TempDir(), "t"
			c, err := newCore(tt.env, Outside{})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.unfitToRun(Outside{}); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestABadPriceFileIsSaidAtTheStart(t *testing.T) {
	_, err := newCore(config.Env{"DISCOCLAW_DATA_DIR": t.TempDir(), "DISCOCLAW_PRICES_FILE": "missing.json"}, Outside{})
	if err == nil || !strings.Contains(err.Error(), "DISCOCLAW_PRICES_FILE: it cannot be read") {
		t.Errorf("got %v", err)
	}
}

func TestClaudeCodeGetsTheLimitOfARun(t *testing.T) {
	c := mustCore(t, config.Env{"DISCOCLAW_DATA_DIR": t.TempDir(), "PRIMARY_RUNTIME": "claude", "CLAUDE_BIN": os.Args[0], "RUNTIME_MAX_BUDGET_USD": "0.5"})
	c.newRuntime(Outside{})
	if len(c.programs) == 0 || c.programs[0].MaxUSD != 0.5 {
		t.Errorf("the programs are %+v", c.programs)
	}
}
