// Package worktree has what plans do with git and with the files of a project.
//
// Trees.Projects reads which projects there are. Trees.Open gives a plan a git worktree of its own in the
// data directory, on a branch of its own, and finds it again after a restart; a Tree lists, commits and takes
// back what a phase has changed there. Trees.Verify runs the command with which a project is tested, and ReadIn
// reads files for a prompt. The checkout in which people work, its index, branch and stash are never touched,
// and no remote is ever contacted.
//
// Models write in a worktree, so nothing in it is believed. Git is told where the repository is instead of
// looking for it, runs no hook, filter, or other program of the repository's configuration, and never goes into
// repositories inside of the worktree, whose configuration a model could have written.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"discoclaw/internal/disk/atomicfile"
)

// Trees has the worktrees of a data directory. Different plans may use it at the same time.
type Trees struct {
	hide       func(string) string
	dataDir    string
	folder     string // of the worktrees
	verifyHome string
	git        git
}

// New returns the worktrees of a data directory. It changes nothing there; the folders are made when they are needed.
// Hide takes secrets out of what commands print, which people and models are shown: code that a model wrote runs in the bot's
// account. It may be nil.
func New(dataDir string, hide func(string) string) (*Trees, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("plans need git, which is not installed here; install it, and see that it is in the PATH of the bot")
	}
	// Git writes down paths without links, and they are compared with ours.
	resolved, err := filepath.EvalSymlinks(dataDir)
	if err != nil {
		return nil, fmt.Errorf("find the data directory: %w", err)
	}
	s := &Trees{
		hide: hide, dataDir: resolved, folder: filepath.Join(resolved, "worktrees"), verifyHome: filepath.Join(resolved, "verify-home"),
		git: git{program: program, home: filepath.Join(resolved, "git-home")},
	}
	return s, nil
}

// makeFolders makes the folders that worktrees need in the data directory.
func (s *Trees) makeFolders() error {
	for _, folder := range []string{s.folder, s.verifyHome, s.git.home} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("make a folder for plans in the data directory: %w", err)
		}
	}
	return nil
}

// Open returns the worktree of a plan, as it was left if there is one. Otherwise it is made from the branch
// that the plan has, or from the commit that is checked out in the project. What a killed process has left
// half done is mended, so only one process may have the data directory.
func (s *Trees) Open(ctx context.Context, p Project, plan int) (*Tree, error) {
	if err := s.makeFolders(); err != nil {
		return nil, err
	}
	t, err := s.locate(ctx, p, plan)
	if err == nil {
		err = t.restore(ctx)
	}
	if err == nil {
		err = t.settle(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("open the worktree of plan %d: %w", plan, err)
	}
	return t, nil
}

// ErrUncommitted means that a worktree has changes that would be lost.
var ErrUncommitted = errors.New("it has changes that are not committed")

// Remove removes the worktree of a plan, if there is one, and leaves its branch. With changes that are not
// committed it returns ErrUncommitted, unless they are to be discarded.
func (s *Trees) Remove(ctx context.Context, p Project, plan int, discard bool) error {
	t, err := s.locate(ctx, p, plan)
	if err == nil && !discard {
		err = t.requireCommitted(ctx)
	}
	if err == nil {
		err = t.drop()
	}
	if err != nil {
		return fmt.Errorf("remove the worktree of plan %d: %w", plan, err)
	}
	return nil
}

// locate returns the worktree of a plan whether it is there or not.
func (s *Trees) locate(ctx context.Context, p Project, plan int) (*Tree, error) {
	project, err := s.git.repository(ctx, p.Dir)
	if err != nil {
		return nil, err
	}
	t := &Tree{
		Dir: filepath.Join(s.folder, fmt.Sprintf("plan-%03d", plan)), Branch: fmt.Sprintf("discoclaw/plan-%d", plan),
		project: project,
	}
	base, err := os.ReadFile(t.baseFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	t.Base = strings.TrimSpace(string(base))
	return t, t.find()
}

// baseFile is beside the worktree, where models do not write. It stays as long as the branch may, and tells the
// branch of this plan from one of the same name that an earlier installation has left.
func (t *Tree) baseFile() string { return t.Dir + ".base" }

// restore makes the worktree, or mends it.
func (t *Tree) restore(ctx context.Context) error {
	if t.halfMade() {
		if err := t.drop(); err != nil {
			return err
		}
	}
	info, err := os.Lstat(t.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := t.drop(); err != nil { // a folder that was deleted by hand is still registered
			return err
		}
		return t.create(ctx)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; move it away", t.Dir)
	case t.admin == "":
		return t.attach(ctx)
	}
	return nil
}

// create makes the worktree on the plan's branch, or on a new one.
func (t *Tree) create(ctx context.Context) error {
	if _, err := t.project.commit(ctx, t.ref()); err == nil {
		if err := t.requireOwnBranch(ctx); err != nil {
			return err
		}
		return t.add(ctx, t.Dir, t.Branch)
	}
	head, err := t.project.commit(ctx, "HEAD")
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return errors.New("the project has no commit yet that work could start from; make one")
	}
	t.Base = head
	// Written first: a branch without it is not taken for this plan's.
	if err := atomicfile.WritePath(t.baseFile(), 0o600, atomicfile.Text(head+"\n")); err != nil {
		return err
	}
	return t.add(ctx, "--no-track", "-b", t.Branch, t.Dir, head)
}

// requireOwnBranch returns an error unless the branch is of this plan and free.
func (t *Tree) requireOwnBranch(ctx context.Context) error {
	if t.Base == "" {
		return fmt.Errorf("the project has a branch %s that was not made for this plan; rename it with `git branch -m %[1]s old/%[1]s`", t.Branch)
	}
	if _, err := t.project.commit(ctx, t.Base); err != nil && ctx.Err() == nil {
		return errors.New("the plan was begun in another repository; set the directory of its project back in projects.json")
	}
	list, err := t.project.output(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	for block := range strings.SplitSeq(list, "\n\n") {
		lines := strings.Split(block, "\n")
		place := strings.TrimPrefix(lines[0], "worktree ")
		for _, line := range lines[1:] {
			if line == "branch "+t.ref() && place != t.Dir {
				return fmt.Errorf("its branch %s is checked out in %s; switch to another branch there", t.Branch, place)
			}
		}
	}
	return nil
}

// attach gives files that are there a registration again, after `git worktree prune` has removed it: that of a
// worktree without files which is made beside them.
func (t *Tree) attach(ctx context.Context) error {
	if t.Base == "" {
		return fmt.Errorf("%s was not made for this plan; move it away", t.Dir)
	}
	if _, err := t.Begin(ctx); err != nil {
		return err
	}
	stand := &Tree{Dir: t.Dir + ".attach", Branch: t.Branch, project: t.project}
	if err := errors.Join(stand.find(), stand.drop()); err != nil { // of a process that was killed here
		return err
	}
	if err := t.requireOwnBranch(ctx); err != nil {
		return err
	}
	if err := stand.add(ctx, "--no-checkout", stand.Dir, t.Branch); err != nil {
		return err
	}
	t.register(stand.admin)
	if _, err := t.git.output(ctx, "read-tree", "HEAD"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(t.admin, "gitdir"), []byte(filepath.Join(t.Dir, ".git")+"\n"), 0o644); err != nil {
		return err
	}
	return os.RemoveAll(stand.Dir)
}

// add runs git worktree add, and registers the worktree.
func (t *Tree) add(ctx context.Context, args ...string) error {
	if _, err := t.project.output(ctx, append([]string{"worktree", "add", "--quiet"}, args...)...); err != nil {
		return err
	}
	return t.find()
}

// settle brings a worktree that is there into a state in which git works.
func (t *Tree) settle(ctx context.Context) error {
	if err := t.unlock(); err != nil {
		return err
	}
	if _, err := t.Begin(ctx); err != nil {
		return err
	}
	return t.own(ctx)
}
