package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
