package runtimes

import (
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/anthropic"
	cli "discoclaw/internal/llm/command"
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/openai"
	"discoclaw/internal/llm/responses"
)

// A kind is a way to reach models that can be set up.
type kind struct {
	name   string
	vendor string // its proper name
	home   string // the vendor's address, if that is the default of a setting
	remedy string // sets it up
	access func(config.Config) config.Access
	// program returns the program that it runs; nil for a server.
	program func(config.Config) string
	setting string // chooses that program
	isSetUp func(config.Config) bool
	// reads reports whether it takes documents such as PDFs; nil means no.
	reads func(config.Config) bool
	open  func(openOptions) llm.Runtime
}

// openOptions are what a runtime is made of.
type openOptions struct {
	config.Access
	kind   kind
	cfg    config.Config
	dir    string // where programs work
	model  string // for requests that name none
	client *http.Client
	log    *slog.Logger
}

// kinds are all of them, in the order in which one is chosen if the settings do not say.
var kinds = []kind{
	{
		name: "openai", vendor: "OpenAI", remedy: "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs no key",
		access:  func(c config.Config) config.Access { return config.Access(c.OpenAI) },
		isSetUp: func(c config.Config) bool { return c.OpenAI.Key.Reveal() != "" || c.OpenAI.BaseURL != "" },
		reads:   func(c config.Config) bool { return c.OpenAI.BaseURL == "" }, // other servers with this API rarely do
		open: func(o openOptions) llm.Runtime {
			talk := openai.New(openai.Options{Key: o.Key.Reveal(), BaseURL: string(o.BaseURL), Model: o.model, HTTP: o.client})
			if o.BaseURL != "" {
				return talk // other servers rarely have a second API
			}
			// In OpenAI's chat API, its reasoning models take no tools.
			return llm.ForTools(responses.New(responses.Options{Key: o.Key.Reveal(), Model: o.model, HTTP: o.client}), talk)
		},
	},
	{
		name: "openrouter", vendor: "OpenRouter", home: "https://openrouter.ai/api/v1", remedy: "set OPENROUTER_API_KEY",
		access:  func(c config.Config) config.Access { return config.Access(c.Router) },
		isSetUp: func(c config.Config) bool { return c.Router.Key.Reveal() != "" },
		open: func(o openOptions) llm.Runtime {
			return openai.New(openai.Options{Name: "openrouter", Key: o.Key.Reveal(), Home: o.kind.home, BaseURL: string(o.BaseURL),
				Model: o.model, HTTP: o.client})
		},
	},
	{
		name: anthropic.Name, vendor: "Anthropic", remedy: "set ANTHROPIC_API_KEY", reads: always,
		access:  func(c config.Config) config.Access { return config.Access(c.Anthropic) },
		isSetUp: func(c config.Config) bool { return c.Anthropic.Key.Reveal() != "" },
		open: func(o openOptions) llm.Runtime {
			return anthropic.New(anthropic.Options{Key: o.Key.Reveal(), BaseURL: string(o.BaseURL), Model: o.model, HTTP: o.client})
		},
	},
	{
		name: gemini.Name, vendor: "Gemini", remedy: "set GEMINI_API_KEY", reads: always,
		access:  func(c config.Config) config.Access { return config.Access(c.Gemini) },
		isSetUp: func(c config.Config) bool { return c.Gemini.Key.Reveal() != "" },
		open: func(o openOptions) llm.Runtime {
			return gemini.New(gemini.Options{Key: o.Key.Reveal(), BaseURL: string(o.BaseURL), Model: o.model, HTTP: o.client})
		},
	},
	{
		name: string(cli.Claude), vendor: "Claude Code", remedy: "install Claude Code, or set CLAUDE_BIN to its program",
		access:  func(c config.Config) config.Access { return config.Access{Key: c.Anthropic.Key} },
		program: func(c config.Config) string { return c.Programs.Claude },
		setting: "CLAUDE_BIN",
		open:    openProgram,
	},
	{
		name: string(cli.Codex), vendor: "Codex", remedy: "install Codex, or set CODEX_BIN to its program",
		access: func(c config.Config) config.Access {
			return config.Access{Key: ownKey(c.OpenAI), Model: c.Programs.CodexModel}
		},
		program: func(c config.Config) string { return c.Programs.Codex },
		setting: "CODEX_BIN",
		open:    openProgram,
	},
	{
		name: string(cli.Gemini), vendor: "the Gemini CLI", remedy: "install the Gemini CLI, or set GEMINI_BIN to its program",
		access:  func(c config.Config) config.Access { return config.Access{Key: c.Gemini.Key, Model: c.Gemini.Model} },
		program: func(c config.Config) string { return c.Programs.Gemini },
		setting: "GEMINI_BIN",
		open:    openProgram,
	},
}

func openProgram(o openOptions) llm.Runtime {
	return cli.New(cli.Options{Kind: cli.Kind(o.kind.name), Program: o.kind.program(o.cfg), Model: o.model,
		Dir: o.dir, Key: o.Key.Reveal(), MaxUSD: o.cfg.Programs.RunUSD, Log: o.log})
}

// ownKey returns the key for OpenAI. One for another server is of no use to a program of OpenAI's.
func ownKey(o config.OpenAI) config.Secret {
	if o.BaseURL != "" {
		return config.Secret{}
	}
	return o.Key
}

func always(config.Config) bool { return true }

// names are the names of all kinds.
func names() (list []string) {
	for _, k := range kinds {
		list = append(list, k.name)
	}
	return list
}

func kindOf(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// usable reports whether a kind can be used with the settings. A program must be there.
func (k kind) usable(c config.Config) bool {
	if k.program == nil {
		return k.isSetUp(c)
	}
	_, err := exec.LookPath(k.program(c))
	return err == nil
}

// whatToDo returns how a kind that is not usable is set up. For a program, it also says which one was looked for.
func (k kind) whatToDo(c config.Config) string {
	if k.program == nil {
		return k.remedy
	}
	name := k.program(c)
	trouble := "was not found in PATH"
	if filepath.Base(name) != name {
		trouble = "is not a program that can be run"
	}
	return fmt.Sprintf("%s=%s %s; %s", k.setting, name, trouble, k.remedy)
}

// where says at which vendor or server, or by which program, the models of a runtime are asked.
func (k kind) where(c config.Config) string {
	switch base := k.access(c).BaseURL; {
	case k.program != nil:
		return fmt.Sprintf("by %s (%s)", k.vendor, k.program(c))
	case base != "" && string(base) != k.home:
		return "at " + string(base)
	}
	return "at " + k.vendor
}
