package worktree_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"discoclaw/internal/plan/worktree"
)

// A trap is a program that a model or a repository wants to have run. It leaves a file when it was.
type trap struct{ command, mark string }

func newTrap(t *testing.T) trap {
	mark := filepath.Join(t.TempDir(), "pwned")
	return trap{command: "touch '" + mark + "'; cat", mark: mark}
}

func (tr trap) script() string { return "#!/bin/sh\n" + tr.command + "\n" }

func (tr trap) requireUntouched(t *testing.T) {
	t.Helper()
	if exists(tr.mark) {
		t.Error("a program was run that must not be")
	}
}

// work does everything with a worktree that a plan does.
func work(t *testing.T, s sample, tree *worktree.Tree, before string) {
	t.Helper()
	ctx := t.Context()
	if _, err := tree.Changed(ctx, before); err != nil {
		t.Errorf("changed: %v", err)
	}
	if _, err := tree.Diff(ctx, before, 1<<20); err != nil {
		t.Errorf("diff: %v", err)
	}
	made, err := tree.Commit(ctx, before, "work")
	if err != nil {
		t.Errorf("commit: %v", err)
	} else if err := tree.Reset(ctx, made); err != nil {
		t.Errorf("reset: %v", err)
	}
	s.open(t)
	if err := s.trees.Remove(ctx, s.project, 7, false); err != nil {
		t.Errorf("remove: %v", err)
	}
	s.open(t)
}

// TestNoProgramOfTheConfigurationIsRun has settings that people do have, with paths that lead into the worktree.
func TestNoProgramOfTheConfigurationIsRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, setting, file, attributes string }{
		{"hooks", "core.hooksPath=.githooks", ".githooks/post-checkout", ""},
		{"a hook of references", "core.hooksPath=.githooks", ".githooks/reference-transaction", ""},
		{"a hook of the index", "core.hooksPath=.githooks", ".githooks/post-index-change", ""},
		{"fsmonitor", "core.fsmonitor=./scripts/fsmonitor", "scripts/fsmonitor", ""},
		{"a filter that cleans", "filter.tidy.clean=./scripts/tidy.sh", "scripts/tidy.sh", "* filter=tidy"},
		{"a filter that smudges", "filter.tidy.smudge=./scripts/tidy.sh", "scripts/tidy.sh", "* filter=tidy"},
		{"a filter that is a process", "filter.tidy.process=./scripts/tidy.sh", "scripts/tidy.sh", "* filter=tidy"},
		{"a diff of its own", "diff.tidy.command=./scripts/tidy.sh", "scripts/tidy.sh", "* diff=tidy"},
		{"a text conversion", "diff.tidy.textconv=./scripts/tidy.sh", "scripts/tidy.sh", "* diff=tidy"},
		{"an external diff", "diff.external=./scripts/tidy.sh", "scripts/tidy.sh", ""},
		{"a signature", "gpg.program=./scripts/tidy.sh", "scripts/tidy.sh", ""},
		{"a pager", "core.pager=./scripts/tidy.sh", "scripts/tidy.sh", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, trap := newSample(t), newTrap(t)
			name, value, _ := strings.Cut(tt.setting, "=")
			for _, pair := range [][2]string{{"filter.tidy.required", "true"}, {"commit.gpgsign", "true"}, {name, value}} {
				run(t, s.project.Dir, "config", pair[0], pair[1])
			}
			tree, before := s.begin(t)
			write(t, tree.Dir, tt.file, trap.script())
			write(t, tree.Dir, ".gitattributes", tt.attributes+"\n")
			write(t, tree.Dir, "greet.go", "package greeter // changed\n")
			write(t, tree.Dir, "new.go", "package greeter\n")
			work(t, s, tree, before)
			trap.requireUntouched(t)
		})
	}
}

// hostileRepository makes a repository in a folder whose configuration runs the trap whenever git looks for changes in it.
func hostileRepository(t *testing.T, dir, head string, tr trap) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "init", "-q")
	write(t, dir, "a", "hello\n")
	run(t, dir, "add", "a")
	write(t, dir, ".gitattributes", "* filter=evil\n")
	write(t, dir, "a", "jello\n")
	run(t, dir, "config", "filter.evil.clean", tr.command)
	run(t, dir, "config", "core.fsmonitor", tr.command)
	write(t, dir, ".git/HEAD", head+"\n")
}

func TestARewrittenGitFileLeadsNowhere(t *testing.T) {
	t.Parallel()
	for name, rewrite := range map[string]func(t *testing.T, dir string, elsewhere string){
		"as a file": func(t *testing.T, dir, elsewhere string) {
			write(t, dir, ".git", "gitdir: "+filepath.Join(elsewhere, ".git")+"\n")
		},
		"as a link": func(t *testing.T, dir, elsewhere string) {
			remove(t, dir, ".git")
			if err := os.Symlink(filepath.Join(elsewhere, ".git"), filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
		},
		"as a folder": func(t *testing.T, dir, elsewhere string) {
			remove(t, dir, ".git")
			rename(t, filepath.Join(elsewhere, ".git"), filepath.Join(dir, ".git"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, trap := newSample(t), newTrap(t)
			tree, before := s.begin(t)
			is := read(tree.Dir, ".git")
			elsewhere := filepath.Join(tree.Dir, "cache", "evil") // ignored
			hostileRepository(t, elsewhere, "ref: refs/heads/"+tree.Branch, trap)
			rewrite(t, tree.Dir, elsewhere)
			write(t, tree.Dir, "greet.go", "package greeter // changed\n")
			requireLines(t, "changes", changed(t, tree, before), "modified greet.go")
			if got := read(tree.Dir, ".git"); got != is {
				t.Errorf(".git is %q, want %q", got, is)
			}
			work(t, s, tree, before)
			trap.requireUntouched(t)
			if got := run(t, s.project.Dir, "log", "-1", "--format=%s", tree.Branch); got != "work" {
				t.Errorf("the commit of the branch is %q", got)
			}
		})
	}
}

// TestRepositoriesInTheWorktreeAreNotEntered: where the project has a submodule, a model puts a repository whose
// configuration runs a program.
func TestRepositoriesInTheWorktreeAreNotEntered(t *testing.T) {
	t.Parallel()
	s, trap := newSample(t), newTrap(t)
	module := run(t, s.project.Dir, "rev-parse", "HEAD")
	run(t, s.project.Dir, "update-index", "--add", "--cacheinfo", "160000,"+module+",module")
	run(t, s.project.Dir, "config", "submodule.recurse", "true")
	run(t, s.project.Dir, "config", "diff.submodule", "diff")
	write(t, s.project.Dir, ".gitmodules", "[submodule \"module\"]\n\tpath = module\n\turl = ./elsewhere\n")
	run(t, s.project.Dir, "add", ".gitmodules")
	run(t, s.project.Dir, "commit", "-q", "-m", "with a submodule")
	run(t, s.project.Dir, "config", "submodule.module.active", "true")

	tree, before := s.begin(t)
	hostileRepository(t, filepath.Join(tree.Dir, "module"), module, trap)
	write(t, tree.Dir, "module/.git/objects/info/alternates", filepath.Join(s.project.Dir, ".git/objects")+"\n")
	write(t, tree.Dir, ".gitmodules", "[submodule \"module\"]\n\tpath = module\n\turl = ext::sh -c touch% "+trap.mark+"\n\tupdate = !touch "+trap.mark+"\n\tignore = none\n")
	requireLines(t, "changes", changed(t, tree, before), "modified .gitmodules")
	work(t, s, tree, before)
	trap.requireUntouched(t)
}

func TestLinksAreCommittedAndNotFollowed(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	outside := t.TempDir()
	write(t, outside, "usage.md", "outside\n")
	write(t, outside, "secret", "secret\n")
	tree, before := s.begin(t)
	remove(t, tree.Dir, "docs")
	for _, link := range [][2]string{{outside, "docs"}, {filepath.Join(outside, "secret"), "stolen"}, {"/", "root"}, {"loop", "loop"}} {
		if err := os.Symlink(link[0], filepath.Join(tree.Dir, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	requireLines(t, "changes", changed(t, tree, before), "added docs", "added loop", "added root", "added stolen", "deleted docs/usage.md")
	if diff, err := tree.Diff(t.Context(), before, 1<<20); err != nil || strings.Contains(diff, "+secret") {
		t.Errorf("the diff has what is outside (%v):\n%s", err, diff)
	}
	commit(t, tree, before, "links")
	if got := run(t, s.project.Dir, "ls-tree", "--format=%(objectmode) %(path)", tree.Branch, "docs", "stolen"); got != "120000 docs\n120000 stolen" {
		t.Errorf("committed as %q", got)
	}
	reset(t, tree, before)
	remove(t, tree.Dir, "docs")
	if err := os.Symlink(outside, filepath.Join(tree.Dir, "docs")); err != nil {
		t.Fatal(err)
	}
	reset(t, tree, before)
	if read(tree.Dir, "docs", "usage.md") != "Call Greet.\n" || read(outside, "usage.md") != "outside\n" || read(outside, "secret") != "secret\n" {
		t.Error("a reset has written or deleted through a link")
	}
	if err := os.Symlink(outside, filepath.Join(tree.Dir, "again")); err != nil {
		t.Fatal(err)
	}
	if err := s.trees.Remove(t.Context(), s.project, 7, true); err != nil || read(outside, "secret") != "secret\n" {
		t.Errorf("removing has deleted through a link, or failed: %v", err)
	}
}

// TestNoRemoteIsContacted: git fetches what a partial clone lacks whenever a command needs it.
func TestNoRemoteIsContacted(t *testing.T) {
	t.Parallel()
	var contacts atomic.Int32
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		contacts.Add(1)
		http.NotFound(w, nil)
	}))
	t.Cleanup(remote.Close)
	s, trap := newSample(t), newTrap(t)
	for _, setting := range []string{
		"remote.origin.url=" + remote.URL + "/repo.git", "remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*", "remote.origin.promisor=true",
		"core.repositoryFormatVersion=1", "extensions.partialClone=origin", "branch.autoSetupMerge=always", "worktree.guessRemote=true",
		"remote.helper.url=ext::sh -c touch% " + trap.mark, "remote.helper.promisor=true", "protocol.allow=always", "protocol.http.allow=always", "protocol.ext.allow=always",
	} {
		name, value, _ := strings.Cut(setting, "=")
		run(t, s.project.Dir, "config", name, value)
	}
	tree, before := s.begin(t)
	write(t, tree.Dir, "greet.go", "package greeter // changed\n")
	work(t, s, tree, before)

	blob := run(t, s.project.Dir, "rev-parse", before+":docs/usage.md")
	remove(t, s.project.Dir, ".git/objects", blob[:2], blob[2:])
	if err := s.trees.Remove(t.Context(), s.project, 7, true); err != nil {
		t.Fatal(err)
	}
	_, err := s.trees.Open(t.Context(), s.project, 7)
	requireError(t, err, "git worktree")
	if n := contacts.Load(); n != 0 {
		t.Errorf("the remote was contacted %d times", n)
	}
	trap.requireUntouched(t)
}
