package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// registration returns the folder in which a repository keeps the state of a worktree, as gitrepository-layout(5)
// describes it, or "". The worktree's own .git file says the same, but a model can write to it.
func registration(common, dir string) (string, error) {
	folders, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, folder := range folders {
		admin := filepath.Join(common, "worktrees", folder.Name())
		content, err := os.ReadFile(filepath.Join(admin, "gitdir"))
		if err != nil {
			continue // a worktree that was not finished
		}
		place := strings.TrimRight(string(content), "\n")
		if !filepath.IsAbs(place) {
			place = filepath.Join(admin, place)
		}
		if filepath.Clean(place) == filepath.Join(dir, ".git") {
			return admin, nil
		}
	}
	return "", nil
}

// find looks the worktree up in the repository.
func (t *Tree) find() error {
	admin, err := registration(t.project.common, t.Dir)
	t.register(admin)
	return err
}

// register notes where the repository keeps the state of the worktree.
func (t *Tree) register(admin string) {
	t.admin, t.git = admin, t.project
	t.git.gitDir, t.git.workTree = admin, t.Dir
}

// halfMade is whether git was killed while it made the worktree: until it is complete, git keeps it locked.
func (t *Tree) halfMade() bool {
	if t.admin == "" {
		return false
	}
	reason, err := os.ReadFile(filepath.Join(t.admin, "locked"))
	return err == nil && strings.HasPrefix(string(reason), "initializing")
}

// drop removes the worktree and its registration. `git worktree remove` would look for uncommitted changes by the
// .git file in the worktree, and go into repositories inside of it.
func (t *Tree) drop() error {
	if err := os.RemoveAll(t.Dir); err != nil {
		return err
	}
	if t.admin == "" {
		return nil
	}
	if err := os.RemoveAll(t.admin); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(t.admin)) // git has this folder as long as there are worktrees
	t.register("")
	return nil
}

// unlock removes the locks that a killed git has left. They are those of this worktree and its branch alone, in
// which no other git has work to do.
func (t *Tree) unlock() error {
	var errs []error
	for _, lock := range []string{
		filepath.Join(t.admin, "index.lock"), filepath.Join(t.admin, "HEAD.lock"),
		filepath.Join(t.project.common, filepath.FromSlash(t.ref())+".lock"),
	} {
		if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// seal puts the .git file of the worktree right, which programs go by that people, or the command that verifies,
// run there. Our own git does not read it.
func (t *Tree) seal() error {
	file, want := filepath.Join(t.Dir, ".git"), "gitdir: "+t.admin+"\n"
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
		if content, err := os.ReadFile(file); err == nil && string(content) == want {
			return nil
		}
	}
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(want), 0o644)
}
