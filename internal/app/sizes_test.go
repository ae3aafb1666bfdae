package app

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/reference"
	"discoclaw/internal/config"
	"discoclaw/internal/flow"
)

// scaffolded returns a core with a fresh data directory.
func scaffolded(t *testing.T, settings ...string) *Core {
	t.Helper()
	env := config.NewEnv(append(settings, "DISCOCLAW_DATA_DIR="+t.TempDir()))
	core := mustCore(t, env)
	if err := core.workspace.Scaffold(); err != nil {
		t.Fatal(err)
	}
	return core
}

// TestAPlainPromptHasAtMost8KB checks the README's promise of a cheap turn, with the documents of a
// fresh data directory.
func TestAPlainPromptHasAtMost8KB(t *testing.T) {
	t.Parallel()
	core := scaffolded(t)
	everything := "Create a channel, thread, forum tag, role, event, invite and poll; send, pin, react to, search and delete messages; " +
		"show members, the audit log, emoji, webhooks and permissions; set the bot's status, the model, calculate 2+2, remind me later."
	for _, flow := range []string{"message", "reaction", "dm", "defer", "trusted-bot"} {
		for _, text := range []string{"", "hello", everything, strings.Repeat(everything+" ", 5)} {
			size, err := core.PromptSize(t.Context(), flow, text)
			if err != nil {
				t.Fatal(err)
			}
			if size.Bytes > 8000 || size.Static == 0 || size.Static > size.Bytes {
				t.Errorf("%s, %d bytes of text: %+v", flow, len(text), size)
			}
		}
	}
	plain, err := core.PromptSize(t.Context(), "message", "hello")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a greeting costs %+v", plain)
}

// TestThePageOnDialectsSaysHowLongFunctionsAre, within a kilobyte.
func TestThePageOnDialectsSaysHowLongFunctionsAre(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/dialects.md")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`about (\d+) KB in each\s+request, where the list is (\d+) KB`).FindSubmatch(page)
	if said == nil {
		t.Fatal("it does not say so")
	}
	for i, part := range []struct{ setting, name string }{{"DISCOCLAW_NATIVE_TOOLS=on", "functions"}, {"DISCOCLAW_NATIVE_TOOLS=off", "actions"}} {
		size, err := scaffolded(t, part.setting).PromptSize(t.Context(), "message", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range size.Sections {
			if kb, _ := strconv.Atoi(string(said[i+1])); s.Name == part.name && (s.Bytes < (kb-1)*1000 || s.Bytes > (kb+1)*1000) {
				t.Errorf("the %s have %d bytes, and the page says %d KB", s.Name, s.Bytes, kb)
			}
		}
	}
}

// TestTheActionReferenceInPromptsStaysShort: everything is switched on, and the size is scaled up
// to 100 types.
func TestTheActionReferenceInPromptsStaysShort(t *testing.T) {
	t.Parallel()
	core := mustCore(t, config.Env{})
	gate := core.registry.Gate(actions.FlagsOf(core.registry.Categories(), func(string) bool { return true }))
	static, types := reference.NewPrompt(gate, actions.Hint{}).Static, len(gate.Allowed())
	head, list, _ := strings.Cut(static, "LOOK UP\n")
	if whole := len(head) + len(list)*max(100, types)/types; whole > 6000 {
		t.Errorf("%d types take %d bytes and 100 would take %d", types, len(static), whole)
	}
}

func TestTheNameComesFromTheIdentityFile(t *testing.T) {
	t.Parallel()
	core := scaffolded(t)
	if core.name() != "" {
		t.Errorf("a fresh bot is called %q", core.name())
	}
	if err := os.WriteFile(filepath.Join(core.workFolder(), "IDENTITY.md"), []byte("- **Name:** Ada\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if core.name() != "Ada" {
		t.Errorf("it is called %q", core.name())
	}
	core.Config.Chat.Name = "Bob"
	if core.name() != "Bob" {
		t.Errorf("the settings say Bob, and it is called %q", core.name())
	}
}

func TestAWorkspaceThatCannotBeCreatedIsAConfigError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	core := mustCore(t, config.NewEnv([]string{"DISCOCLAW_DATA_DIR=" + t.TempDir(), "WORKSPACE_CWD=" + filepath.Join(file, "x")}))
	_, err := core.openData()
	if err == nil || !strings.Contains(err.Error(), "WORKSPACE_CWD") {
		t.Fatalf("got %v", err)
	}
	// The data directory is free again.
	core.Config.Operation.Workspace = ""
	core.workspace = scaffolded(t).workspace
	dir, err := core.openData()
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestTheStandingPromptNamesOnlyWhatMayRun in every flow, with each category switched off in turn, as blocks and as functions, with all
// dialects. A type that is an English word as well counts where it is written like a type.
func TestTheStandingPromptNamesOnlyWhatMayRun(t *testing.T) {
	t.Parallel()
	core := scaffolded(t, "DISCOCLAW_ACTION_DIALECTS=all", "DISCOCLAW_NATIVE_TOOLS=on")
	all := core.registry.Gate(actions.FlagsOf(core.registry.Categories(), func(string) bool { return true })).Allowed()
	off := []string{""}
	for _, c := range core.registry.Categories() {
		off = append(off, c.Name())
	}
	words := regexp.MustCompile(`[A-Za-z]+["(]?`)
	for _, flowName := range Flows() {
		for _, category := range off {
			flags := actions.FlagsOf(core.registry.Categories(), func(name string) bool { return name != category })
			gate := core.registry.Gate(flags, flow.Narrowings(actions.Origin{Flow: actions.Flow(flowName), Requester: "somebody"})...)
			p, err := core.samplePrompt(t.Context(), gate, actions.Flow(flowName), "hello")
			if err != nil {
				t.Fatal(err)
			}
			req, err := p.First(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			plain := req.WithoutTools()
			for _, text := range []string{req.System[:req.Stable], plain.System[:plain.Stable]} {
				text, _, _ = strings.Cut(text, "Categories switched off here: ")
				named := words.FindAllString(text, -1)
				for _, a := range all {
					says := slices.ContainsFunc(named, func(word string) bool {
						name := strings.TrimRight(word, `"(`)
						return name == a.Name && (name != strings.ToLower(name) || name != word)
					})
					if says && gate.Verdict(a.Name).Decision != actions.Allowed {
						t.Errorf("%s without %s: the prompt has %s", flowName, category, a.Name)
					}
				}
			}
		}
	}
}

// TestPromptsHaveTheRulesOfTheirCategories, as blocks and as functions, wherever one of the category's actions may run.
func TestPromptsHaveTheRulesOfTheirCategories(t *testing.T) {
	t.Parallel()
	core := mustCore(t, config.Env{"DISCOCLAW_TASKS_PREFIX": "todo"})
	want := map[string]string{
		"tasks": "Task 3 is todo-003. Never write in a task's post; use its taskId.", "moderation": "only when the person whose message you answer asks for it", "voice": "neither hear nor speak",
	}
	for _, off := range []string{"", "tasks", "moderation", "voice"} {
		flags := actions.FlagsOf(core.registry.Categories(), func(name string) bool { return name != off })
		for _, flowName := range Flows() {
			gate := core.registry.Gate(flags, flow.Narrowings(actions.Origin{Flow: actions.Flow(flowName), Requester: "somebody"})...)
			for _, text := range []string{reference.NewPrompt(gate, actions.Hint{}).Static, reference.Functions(gate)} {
				open := map[string]bool{}
				for c := range gate.Sections() {
					open[c.Name()] = true
				}
				for category, rule := range want {
					if strings.Contains(text, rule) != open[category] {
						t.Errorf("%s without %s: open is %t, and the rule of %s is not in keeping:\n%s", flowName, off, open[category], category, text)
					}
				}
			}
		}
	}
}
