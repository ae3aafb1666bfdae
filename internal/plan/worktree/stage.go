package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// own makes HEAD and the .git file what they have to be, in case that a runtime has checked out something else.
func (t *Tree) own(ctx context.Context) error {
	if err := t.seal(); err != nil {
		return err
	}
	if head, err := t.git.output(ctx, "symbolic-ref", "--quiet", "HEAD"); err == nil && head == t.ref() {
		return nil
	}
	_, err := t.git.output(ctx, "symbolic-ref", "HEAD", t.ref())
	return err
}

// stage brings everything in the worktree into its index, which is the plan's own. It is `git add --all` without
// its defect: that runs `git status` in repositories inside of the worktree, with what their configuration says.
func (t *Tree) stage(ctx context.Context) error {
	if err := t.own(ctx); err != nil {
		return err
	}
	changed, err := t.git.records(ctx, nil, "diff-files", "-z", "--name-status", "--no-renames", "--ignore-submodules=all")
	if err != nil {
		return err
	}
	written, err := t.git.records(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	var gone []string
	for ; len(changed) >= 2; changed = changed[2:] {
		if changed[0] == "D" {
			gone = append(gone, changed[1])
		} else {
			written = append(written, changed[1])
		}
	}
	for _, name := range written {
		if info, err := os.Lstat(filepath.Join(t.Dir, filepath.FromSlash(name))); err == nil && info.IsDir() {
			return fmt.Errorf("%q has become a git repository of its own, whose files cannot be committed; delete the .git in it", strings.TrimSuffix(name, "/"))
		}
	}
	_, removing := t.git.records(ctx, gone, "update-index", "-z", "--force-remove", "--stdin")
	_, adding := t.git.records(ctx, written, "update-index", "-z", "--add", "--remove", "--stdin")
	return errors.Join(removing, adding)
}
