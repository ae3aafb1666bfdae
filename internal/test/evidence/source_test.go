package evidence

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

func TestARunNamesItsCommit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
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
	ran, steps := 0, 0
	requires := func(what, want string, again bool) {
		t.Helper()
		r, err := Begin(dir, "chaos", time.Date(2026, 11, 16, 1, 2, 3, 0, time.UTC), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(r.Dir, SourceFile))
		if err != nil || !regexp.MustCompile("^Run on 2026-11-16, on "+want+"\\.\n$").Match(got) {
			t.Errorf("%s: %q, %v", what, got, err)
		}
		_, err = r.Step("a/b", func() (string, error) {
			steps++
			return "shown", nil
		})
		if err != nil || (steps > ran) != again {
			t.Errorf("%s: the step is done again: %v, want %v (%v)", what, steps > ran, again, err)
		}
		ran = steps
	}
	requires("without a repository", "sources of which git knows no commit", true)
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "another project")
	write("go.mod")
	requires("in another project's repository", "sources of which git knows no commit", true)
	git("add", "go.mod")
	git("commit", "-q", "-m", "first")
	requires("after a commit", "commit [0-9a-f]{12}", true)
	write("docs/dev/reliability.md")
	requires("after a run", "commit [0-9a-f]{12}", false)
	write("main.go")
	requires("after a change", "commit [0-9a-f]{12} with uncommitted changes", true)
	requires("with the same change", "commit [0-9a-f]{12} with uncommitted changes", true)
}
