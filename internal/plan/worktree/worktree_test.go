package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/plan/worktree"
)

// person is all of a checkout that a plan must leave alone.
func person(t *testing.T, dir string) []string {
	return []string{
		run(t, dir, "status", "--porcelain=v2", "--branch"), run(t, dir, "diff"), run(t, dir, "diff", "--cached"), run(t, dir, "stash", "list"),
		run(t, dir, "for-each-ref", "refs/heads/main", "refs/stash", "refs/tags", "refs/remotes"), run(t, dir, "config", "--local", "--list"), read(dir, ".git", "HEAD"),
	}
}

func TestAPlanWorksBesideThePersonsCheckout(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	dir := s.project.Dir
	write(t, dir, "docs/usage.md", "stashed\n")
	run(t, dir, "stash")
	write(t, dir, "greet.go", "package greeter // half done\n")
	write(t, dir, "staged.txt", "staged\n")
	run(t, dir, "add", "staged.txt")
	write(t, dir, "untracked.txt", "untracked\n")
	head := run(t, dir, "rev-parse", "HEAD")
	was := person(t, dir)

	tree, before := s.begin(t)
	if want := filepath.Join(s.data, "worktrees", "plan-007"); tree.Dir != want || tree.Branch != "discoclaw/plan-7" || tree.Base != head || before != head {
		t.Errorf("tree %q on %q from %q, phase from %q; want %q from %q", tree.Dir, tree.Branch, tree.Base, before, want, head)
	}
	requireLines(t, "changes of a fresh worktree", changed(t, tree, before))
	write(t, tree.Dir, "greet.go", "package greeter\n")
	made := commit(t, tree, before, "plan-007 phase-1: empty it")
	write(t, tree.Dir, "greet.go", "broken\n")
	reset(t, tree, made)
	if err := s.trees.Remove(t.Context(), s.project, 7, false); err != nil {
		t.Fatal(err)
	}
	requireLines(t, "the person's checkout", person(t, dir), was...)
	if tip := run(t, dir, "rev-parse", "discoclaw/plan-7"); tip != made {
		t.Errorf("the branch is at %s, want %s", tip, made)
	}
}

func TestAWorktreeIsOpenedAgainAsItIs(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, sample, *worktree.Tree){
		"nothing happened": func(*testing.T, sample, *worktree.Tree) {},
		"the registration was pruned": func(t *testing.T, s sample, tree *worktree.Tree) {
			away := tree.Dir + ".away"
			rename(t, tree.Dir, away)
			run(t, s.project.Dir, "worktree", "prune")
			rename(t, away, tree.Dir)
			if exists(s.admin()) {
				t.Fatal("git has not pruned it")
			}
		},
		"a repair was killed": func(t *testing.T, s sample, tree *worktree.Tree) {
			away := tree.Dir + ".away"
			rename(t, tree.Dir, away)
			run(t, s.project.Dir, "worktree", "prune")
			rename(t, away, tree.Dir)
			run(t, s.project.Dir, "worktree", "add", "--no-checkout", tree.Dir+".attach", tree.Branch)
		},
		"git was killed": func(t *testing.T, s sample, _ *worktree.Tree) {
			for _, lock := range []string{"worktrees/plan-007/index.lock", "worktrees/plan-007/HEAD.lock", "refs/heads/discoclaw/plan-7.lock"} {
				write(t, s.project.Dir, ".git/"+lock, "")
			}
		},
		"another branch is checked out": func(t *testing.T, _ sample, tree *worktree.Tree) {
			run(t, tree.Dir, "checkout", "-q", "-b", "elsewhere")
		},
		"the .git file is gone": func(t *testing.T, _ sample, tree *worktree.Tree) { remove(t, tree.Dir, ".git") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			tree, base := s.begin(t)
			write(t, tree.Dir, "greet.go", "package greeter // first\n")
			before := commit(t, tree, base, "first phase")
			write(t, tree.Dir, "half.go", "package greeter // half done\n")
			remove(t, tree.Dir, "docs")
			write(t, s.project.Dir, "other.txt", "the person goes on\n")
			commitAll(t, s.project.Dir, "meanwhile")
			damage(t, s, tree)

			again, begun := s.begin(t)
			if again.Dir != tree.Dir || again.Base != base || begun != before {
				t.Errorf("opened %q from %s, at %s; want %q from %s, at %s", again.Dir, again.Base, begun, tree.Dir, base, before)
			}
			requireLines(t, "what the interrupted phase has left", changed(t, again, begun), "added half.go", "deleted docs/usage.md")
			made := commit(t, again, begun, "second phase")
			if got := run(t, s.project.Dir, "rev-parse", tree.Branch, made+"^"); got != made+"\n"+before {
				t.Errorf("the branch and the parent are %q, want %s and %s", got, made, before)
			}
			if got := run(t, again.Dir, "status", "--porcelain=v2", "--branch"); !strings.Contains(got, "branch.head "+tree.Branch) || strings.Contains(got, "\n1 ") {
				t.Errorf("git status in the worktree says %q", got)
			}
		})
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestAMovedProjectKeepsItsWorktrees(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	tree, before := s.begin(t)
	write(t, tree.Dir, "half.go", "package greeter\n")
	moved := filepath.Join(t.TempDir(), "moved")
	rename(t, s.project.Dir, moved)
	s.project.Dir = moved
	again := s.open(t)
	requireLines(t, "changes", changed(t, again, before), "added half.go")
	if got := run(t, again.Dir, "rev-parse", "--abbrev-ref", "HEAD"); got != tree.Branch {
		t.Errorf("git in the worktree is on %q", got)
	}
}

func TestAWorktreeThatIsLostIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, sample, *worktree.Tree){
		"deleted by hand": func(t *testing.T, _ sample, tree *worktree.Tree) { remove(t, tree.Dir) },
		"git was killed while it made it": func(t *testing.T, s sample, tree *worktree.Tree) {
			write(t, s.admin(), "locked", "initializing\n")
			remove(t, s.admin(), "index")
			remove(t, tree.Dir, "greet.go")
		},
		"removed when the plan was closed": func(t *testing.T, s sample, _ *worktree.Tree) {
			if err := s.trees.Remove(t.Context(), s.project, 7, false); err != nil {
				t.Fatal(err)
			}
			if err := s.trees.Remove(t.Context(), s.project, 7, false); err != nil {
				t.Errorf("removed again: %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			tree, base := s.begin(t)
			write(t, tree.Dir, "greet.go", "package greeter // first\n")
			first := commit(t, tree, base, "first phase")
			damage(t, s, tree)
			again, before := s.begin(t)
			if again.Base != base || before != first || read(again.Dir, "greet.go") != "package greeter // first\n" {
				t.Errorf("continued from %s, begun at %s; want %s and %s", before, again.Base, first, base)
			}
			requireLines(t, "changes", changed(t, again, before))
		})
	}
}

func TestOpenSaysWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		arrange func(*testing.T, *sample)
		says    []string
	}{
		{"a branch of another bot", func(t *testing.T, s *sample) {
			run(t, s.project.Dir, "branch", "discoclaw/plan-7")
		}, []string{"not made for this plan", "git branch -m discoclaw/plan-7 old/discoclaw/plan-7"}},
		{"the branch is checked out by a person", func(t *testing.T, s *sample) {
			tree := s.open(t)
			if err := s.trees.Remove(t.Context(), s.project, 7, false); err != nil {
				t.Fatal(err)
			}
			run(t, s.project.Dir, "checkout", "-q", tree.Branch)
		}, []string{"is checked out in ", "switch to another branch"}},
		{"no commit", func(t *testing.T, s *sample) {
			s.project.Dir = t.TempDir()
			run(t, s.project.Dir, "init", "-q")
		}, []string{"no commit yet"}},
		{"another repository", func(t *testing.T, s *sample) {
			s.open(t)
			s.project.Dir = t.TempDir()
			run(t, s.project.Dir, "init", "-q")
			run(t, s.project.Dir, "commit", "-q", "--allow-empty", "-m", "of another history")
			run(t, s.project.Dir, "branch", "discoclaw/plan-7")
		}, []string{"another repository", "projects.json"}},
		{"a folder of the person's", func(t *testing.T, s *sample) {
			write(t, s.data, "worktrees/plan-007/mine.txt", "mine\n")
		}, []string{"was not made for this plan", "move it away"}},
		{"a link in the folder's place", func(t *testing.T, s *sample) {
			if err := os.MkdirAll(filepath.Join(s.data, "worktrees"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(t.TempDir(), filepath.Join(s.data, "worktrees/plan-007")); err != nil {
				t.Fatal(err)
			}
		}, []string{"is not a folder", "move it away"}},
		{"the branch is gone", func(t *testing.T, s *sample) {
			s.open(t)
			run(t, s.project.Dir, "update-ref", "-d", "refs/heads/discoclaw/plan-7")
		}, []string{"is gone", "git branch discoclaw/plan-7 "}},
		{"the project is gone", func(t *testing.T, s *sample) { remove(t, s.project.Dir) }, []string{"does not exist"}},
		{"a broken repository in another", func(t *testing.T, s *sample) {
			s.project.Dir = filepath.Join(s.project.Dir, "docs")
			write(t, s.project.Dir, ".git/HEAD", "")
		}, []string{"is not a git repository that works"}},
		{"a folder in a repository", func(t *testing.T, s *sample) {
			s.project.Dir = filepath.Join(s.project.Dir, "docs")
		}, []string{"is not a git repository", "git init"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			tt.arrange(t, &s)
			_, err := s.trees.Open(t.Context(), s.project, 7)
			requireError(t, err, append(tt.says, "open the worktree of plan 7: ")...)
		})
	}
}

func TestUncommittedChangesAreNotRemoved(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, sample, *worktree.Tree){
		"new":      func(t *testing.T, _ sample, tree *worktree.Tree) { write(t, tree.Dir, "new file", "") },
		"modified": func(t *testing.T, _ sample, tree *worktree.Tree) { write(t, tree.Dir, "greet.go", "package greeter\n") },
		"pruned":   func(t *testing.T, s sample, _ *worktree.Tree) { remove(t, s.admin()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			tree := s.open(t)
			change(t, s, tree)
			if err := s.trees.Remove(t.Context(), s.project, 7, false); !errors.Is(err, worktree.ErrUncommitted) || !exists(tree.Dir) {
				t.Fatalf("removed with uncommitted changes (%v), or for another reason", err)
			}
			if err := s.trees.Remove(t.Context(), s.project, 7, true); err != nil || exists(tree.Dir) || exists(s.admin()) {
				t.Errorf("not removed when asked to (%v)", err)
			}
			run(t, s.project.Dir, "rev-parse", "--verify", tree.Branch)
		})
	}
}

func TestADataDirectoryMayBeALink(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	link := filepath.Join(t.TempDir(), "data")
	if err := os.Symlink(s.data, link); err != nil {
		t.Fatal(err)
	}
	s.data = link
	tree, before := s.begin(t)
	write(t, tree.Dir, "half.go", "package greeter\n")
	requireLines(t, "changes", changed(t, s.open(t), before), "added half.go")
}

func TestAProjectMayItselfBeAWorktree(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	linked := filepath.Join(t.TempDir(), "linked")
	run(t, s.project.Dir, "worktree", "add", "-q", "-b", "side", linked)
	write(t, linked, "side.txt", "side\n")
	head := commitAll(t, linked, "side")
	s.project.Dir = linked
	tree, before := s.begin(t)
	if before != head || read(tree.Dir, "side.txt") != "side\n" {
		t.Errorf("began at %s, want %s", before, head)
	}
	write(t, tree.Dir, "greet.go", "package greeter\n")
	commit(t, tree, before, "change")
	if got := run(t, linked, "status", "--porcelain"); got != "" {
		t.Errorf("the project has changes: %q", got)
	}
}
