package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/reference"
	"discoclaw/internal/config"
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
