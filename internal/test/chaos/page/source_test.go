package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

func TestThePageNamesItsCommit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, figures := t.TempDir(), t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=ada", "-c", "user.email=ada@example.com"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	requires := func(what, want string) {
		t.Helper()
		err := noteSource(figures, dir, time.Date(2026, 11, 16, 1, 2, 3, 0, time.UTC))
		got, err2 := os.ReadFile(filepath.Join(figures, sourceFile))
		if err != nil || err2 != nil || !regexp.MustCompile("^Run on 2026-11-16, on "+want+"\\.\n$").Match(got) {
			t.Errorf("%s: %q, %v, %v", what, got, err, err2)
		}
	}
	requires("without a repository", "sources of which git knows no commit")
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "another project")
	write("go.mod")
	requires("in another project's repository", "sources of which git knows no commit")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	requires("after a commit", "commit [0-9a-f]{12}")
	write("docs/dev/reliability.md")
	requires("after a run", "commit [0-9a-f]{12}")
	write("main.go")
	requires("after a change", "commit [0-9a-f]{12} with uncommitted changes")
}
