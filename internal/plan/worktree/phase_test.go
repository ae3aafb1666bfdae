package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hellish are names that break programs which go by lines, quotes or options.
var hellish = []string{
	"with space", " leading", "trailing ", "new\nline", "tab\there", "quo\"te", "apo'strophe", "back\\slash", "ünïcödé/日本語", "-rf", "--", ":(top)x", ":!x",
	"*", "a?[b]", "$(touch pwned)", "#comment", "!bang", "latin1-\xe9", "deep/er/est/f", ".hidden", "R100", "e\u0301", "\u00e9",
}

func TestChangedKnowsFilesOfAnyName(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	tree, before := s.begin(t)
	var added, modified, deleted []string
	for _, name := range hellish {
		write(t, tree.Dir, name, "first "+name)
		added = append(added, "added "+name)
		modified = append(modified, "modified "+name)
		deleted = append(deleted, "deleted "+name)
	}
	requireSame(t, "new files", changed(t, tree, before), added)
	first := commit(t, tree, before, "add")
	requireLines(t, "changes after the commit", changed(t, tree, first))
	for _, name := range hellish {
		write(t, tree.Dir, name, "second "+name)
	}
	requireSame(t, "modified files", changed(t, tree, first), modified)
	second := commit(t, tree, first, "modify")
	for _, name := range hellish {
		remove(t, tree.Dir, name)
	}
	requireSame(t, "deleted files", changed(t, tree, second), deleted)
	third := commit(t, tree, second, "delete")
	if got := run(t, s.project.Dir, "rev-parse", third+"^{tree}"); got != run(t, s.project.Dir, "rev-parse", before+"^{tree}") {
		t.Error("adding and deleting does not lead back to the first tree")
	}
}

func requireSame(t *testing.T, what string, got, want []string) {
	t.Helper()
	sorted := append([]string(nil), want...)
	slices.Sort(sorted)
	requireLines(t, what, got, sorted...)
}

func TestChangedKnowsWhatBecameOfAFile(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	tree, before := s.begin(t)
	rename(t, filepath.Join(tree.Dir, "greet_test.go"), filepath.Join(tree.Dir, "new\nname_test.go"))
	remove(t, tree.Dir, "docs")
	write(t, tree.Dir, "docs", "a file in the place of a folder\n")
	remove(t, tree.Dir, "go.mod")
	write(t, tree.Dir, "go.mod/f", "a folder in the place of a file\n")
	if err := os.Chmod(filepath.Join(tree.Dir, "greet.go"), 0o644); err != nil {
		t.Fatal(err)
	}
	remove(t, tree.Dir, "scripts/tidy.sh")
	if err := os.Symlink("../greet.go", filepath.Join(tree.Dir, "scripts/tidy.sh")); err != nil {
		t.Fatal(err)
	}
	write(t, tree.Dir, "cache/object", "ignored")
	want := []string{
		"added docs", "added go.mod/f", "deleted docs/usage.md", "deleted go.mod", "modified greet.go", "modified scripts/tidy.sh",
		"renamed new\nname_test.go from greet_test.go",
	}
	requireLines(t, "changes", changed(t, tree, before), want...)
	// What a runtime has committed by itself, on whatever branch, is a change of the phase too.
	run(t, tree.Dir, "checkout", "-q", "-b", "detour")
	commitAll(t, tree.Dir, "by the model")
	requireLines(t, "changes after a commit of the runtime", changed(t, tree, before), want...)
	made := commit(t, tree, before, "all")
	if got := run(t, s.project.Dir, "log", "--format=%H", before+".."+tree.Branch); got != made {
		t.Errorf("commits of the phase: %q, want %s alone", got, made)
	}
}

func TestACommitIsTheBots(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	run(t, s.project.Dir, "config", "commit.gpgsign", "true")
	run(t, s.project.Dir, "config", "user.name", "Ada")
	run(t, s.project.Dir, "config", "i18n.commitEncoding", "latin1")
	tree, before := s.begin(t)
	write(t, tree.Dir, "greet.go", "package greeter\n")
	made := commit(t, tree, before, "# plan-007 phase-1:\ntidy\x00 up \x1b[31mgrüße")
	want := "DiscoClaw <bot@discoclaw.invalid> DiscoClaw <bot@discoclaw.invalid>|# plan-007 phase-1: tidy up [31mgrüße||" + before
	if got := run(t, s.project.Dir, "-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%an <%ae> %cn <%ce>|%s|%b|%P", made); got != want {
		t.Errorf("commit %q, want %q", got, want)
	}
	if again := commit(t, tree, made, "nothing"); again != made {
		t.Errorf("nothing to commit made %s after %s", again, made)
	}
	if begun, err := tree.Begin(t.Context()); err != nil || begun != made {
		t.Errorf("the next phase begins at %s (%v), want %s", begun, err, made)
	}
}

func TestDiffs(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	for _, setting := range []string{"color.ui=always", "diff.noprefix=true", "core.quotePath=true"} {
		name, value, _ := strings.Cut(setting, "=")
		run(t, s.project.Dir, "config", name, value)
	}
	tree, before := s.begin(t)
	write(t, tree.Dir, "docs/usage.md", "Call Greet twice.\n")
	write(t, tree.Dir, "new.txt", strings.Repeat("grün\n", 3000))
	write(t, tree.Dir, "picture", "\x00\x01")
	diff, err := tree.Diff(t.Context(), before, 600)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--- a/docs/usage.md\n+++ b/docs/usage.md\n", "-Call Greet.\n+Call Greet twice.\n", "+++ b/new.txt\n", "+grün\n", "bytes are left out"} {
		if !strings.Contains(diff, want) {
			t.Errorf("the diff lacks %q:\n%s", want, diff)
		}
	}
	if len(diff) > 700 || strings.ContainsAny(diff, "\x1b\uFFFD") {
		t.Errorf("the diff has %d bytes, or colours, or a cut character:\n%s", len(diff), diff)
	}
	if diff, err = tree.Diff(t.Context(), before, 1<<20); err != nil || strings.Contains(diff, "left out") || !strings.Contains(diff, "picture differ") {
		t.Errorf("the whole diff is cut, or lacks the picture: %v", err)
	}
}

func TestResetLeavesOnlyWhatTheCommitIgnores(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	tree, base := s.begin(t)
	write(t, tree.Dir, "greet.go", "package greeter // first\n")
	before := commit(t, tree, base, "first")
	for name, text := range map[string]string{
		"greet.go": "broken\n", "new/file.go": "half\n", "x.log": "log\n", "cache/object": "object\n", "cache/.gitignore": "*\n",
		"hidden/.gitignore": "*\n", "hidden/evil_test.go": "package hidden\n", "hidden/below/.gitignore": "!*\n",
		".gitignore": "*\n", "docs/.gitignore": "*\n", "docs/hidden.md": "hidden\n",
	} {
		write(t, tree.Dir, name, text)
	}
	remove(t, tree.Dir, "docs/usage.md")
	run(t, tree.Dir, "init", "-q", "nested")
	run(t, filepath.Join(tree.Dir, "nested"), "commit", "-q", "--allow-empty", "-m", "nested")
	write(t, s.admin(), "index.lock", "")
	reset(t, tree, before)
	requireLines(t, "changes after the reset", changed(t, tree, before))
	for name, want := range map[string]bool{
		"docs/usage.md": true, "x.log": true, "cache/object": true, "cache/.gitignore": true,
		"new": false, "hidden": false, "docs/hidden.md": false, "docs/.gitignore": false, "nested": false,
	} {
		if exists(tree.Dir, name) != want {
			t.Errorf("%s is there: %v, want %v", name, !want, want)
		}
	}
	if got := read(tree.Dir, "greet.go"); got != "package greeter // first\n" {
		t.Errorf("greet.go is %q", got)
	}
	// Further back, as for a plan that starts over, and with nothing to take back.
	for range 2 {
		reset(t, tree, base)
		if got := run(t, s.project.Dir, "rev-parse", tree.Branch); got != base {
			t.Errorf("the branch is at %s, want %s", got, base)
		}
	}
}

func TestARepositoryInTheWorktreeIsNotCommitted(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(*testing.T, string) string{
		"new":       func(*testing.T, string) string { return "sub" },
		"of a file": func(t *testing.T, dir string) string { remove(t, dir, "greet.go"); return "greet.go" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			tree, before := s.begin(t)
			sub := plant(t, tree.Dir)
			run(t, tree.Dir, "init", "-q", sub)
			run(t, filepath.Join(tree.Dir, sub), "commit", "-q", "--allow-empty", "-m", "nested")
			_, err := tree.Commit(t.Context(), before, "nested")
			requireError(t, err, sub, "git repository of its own", "delete the .git in it")
			remove(t, tree.Dir, sub, ".git")
			commit(t, tree, before, "without it")
		})
	}
}

func TestAFolderOfTheProjectStaysOneWithAGitInIt(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	tree, before := s.begin(t)
	run(t, tree.Dir, "init", "-q", "docs")
	write(t, tree.Dir, "docs/usage.md", "Call Greet twice.\n")
	write(t, tree.Dir, "docs/more.md", "More.\n")
	commit(t, tree, before, "docs")
	if got := run(t, s.project.Dir, "ls-tree", "-r", "--name-only", tree.Branch, "docs"); got != "docs/more.md\ndocs/usage.md" {
		t.Errorf("docs has %q in the commit", got)
	}
}

func TestACancelledCommandLeavesNoLock(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	tree, before := s.begin(t)
	write(t, tree.Dir, "greet.go", "package greeter\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.Commit(ctx, before, "cancelled"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	commit(t, tree, before, "after all")
}

// TestWhatIsKeptIsNotOnTheBranch: a Reset after Keep loses nothing that people could want back.
func TestWhatIsKeptIsNotOnTheBranch(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	tree, before := s.begin(t)
	clean, err := tree.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(t, tree.Dir, "greet.go", "package greeter // by hand\n")
	write(t, tree.Dir, "new.go", "package greeter\n")
	kept, err := tree.Keep(t.Context(), before, "by hand")
	if err != nil {
		t.Fatal(err)
	}
	reset(t, tree, before)
	if got := run(t, s.project.Dir, "rev-parse", tree.Branch); got != before {
		t.Errorf("the branch is at %s, want %s", got, before)
	}
	if got := run(t, s.project.Dir, "diff", "--name-only", before, kept); got != "greet.go\nnew.go" {
		t.Errorf("kept: %q", got)
	}
	if again, err := tree.Snapshot(t.Context()); err != nil || again != clean {
		t.Errorf("snapshot %s (%v), want %s as before", again, err, clean)
	}
	if none, err := tree.Keep(t.Context(), before, "nothing"); err != nil || none != before {
		t.Errorf("nothing was kept as %s (%v)", none, err)
	}
}

func TestRenewFollowsTheProjectUntilThereIsWork(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	tree, _ := s.begin(t)
	renew := func(want string) {
		t.Helper()
		tree = s.open(t)
		if err := tree.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := run(t, s.project.Dir, "rev-parse", tree.Branch); got != want || s.open(t).Base != tree.Base {
			t.Errorf("the branch is at %s, and the plan begins at %s; want %s", got, tree.Base, want)
		}
		requireLines(t, "changes", changed(t, tree, want))
	}
	write(t, s.project.Dir, "greet.go", "package greeter // mended\n")
	mended := commitAll(t, s.project.Dir, "mend")
	write(t, tree.Dir, "left", "by a phase that failed\n")
	renew(mended)
	renew(mended)

	run(t, s.project.Dir, "commit", "-q", "--amend", "-m", "mend, in other words")
	amended := run(t, s.project.Dir, "rev-parse", "HEAD")
	renew(amended)

	write(t, s.project.Dir, "greet.go", "package greeter // more\n")
	more := commitAll(t, s.project.Dir, "more")
	write(t, s.data, "worktrees/plan-007.base", more+"\n") // killed after the first step
	renew(more)

	write(t, tree.Dir, "new.go", "package greeter\n")
	work := commit(t, tree, more, "work")
	write(t, s.project.Dir, "greet.go", "package greeter // even more\n")
	commitAll(t, s.project.Dir, "even more")
	renew(work)
	if tree.Base != more {
		t.Errorf("the plan begins at %s, want %s", tree.Base, more)
	}
}

func TestAttributesOfAPhaseDoNotOutliveAReset(t *testing.T) {
	t.Parallel()
	for name, hidden := range map[string]string{"seen": "", "hidden": ".gitattributes\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			tree, before := s.begin(t)
			write(t, tree.Dir, ".gitattributes", "*.go working-tree-encoding=UTF-16\n* text eol=crlf\n")
			write(t, tree.Dir, ".gitignore", "/cache/\n*.log\n"+hidden)
			write(t, tree.Dir, "greet.go", "package greeter // changed\n")
			write(t, tree.Dir, "docs/usage.md", "Changed.\n")
			reset(t, tree, before)
			for _, file := range []string{"greet.go", "docs/usage.md"} {
				if got, want := read(tree.Dir, file), read(s.project.Dir, file); got != want {
					t.Errorf("%s: %q, want %q", file, got, want)
				}
			}
		})
	}
}
