package worktree

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"discoclaw/internal/disk/atomicfile"
)

// Reset puts the worktree and its branch back to a commit. Only files that this commit ignores stay, such as the caches of
// builds.
func (t *Tree) Reset(ctx context.Context, commit string) error {
	if err := t.unlock(); err != nil {
		return err
	}
	if err := t.own(ctx); err != nil {
		return err
	}
	others, err := t.git.records(ctx, nil, "ls-files", "-z", "--others")
	if err != nil {
		return err
	}
	converted := slices.ContainsFunc(others, func(name string) bool { return path.Base(name) == ".gitattributes" })
	if err := t.clear(ctx, commit); err != nil || !converted {
		return err
	}
	// Git has written files as attributes said that are gone by now. It writes all of them again if its index knows none.
	if _, err := t.git.output(ctx, "read-tree", commit); err != nil {
		return err
	}
	return t.clear(ctx, commit)
}

// clear resets to a commit and removes what is not of it.
func (t *Tree) clear(ctx context.Context, commit string) error {
	if _, err := t.git.output(ctx, "reset", "--quiet", "--hard", commit, "--"); err != nil {
		return err
	}
	if err := t.unhide(ctx); err != nil {
		return err
	}
	// Forced twice, it also removes repositories.
	_, err := t.git.output(ctx, "clean", "--quiet", "--force", "--force", "-d")
	return err
}

// Renew has a plan begin at the commit that is checked out in the project now, unless its branch has commits of its own. The worktree
// is reset to that.
func (t *Tree) Renew(ctx context.Context) error {
	head, err := t.project.commit(ctx, "HEAD")
	if err != nil {
		return err
	}
	tip, err := t.Begin(ctx)
	if err != nil || head == t.Base && head == tip {
		return err
	}
	if tip != t.Base {
		// Also after a kill between the two steps below.
		if _, err := t.project.output(ctx, "merge-base", "--is-ancestor", tip, head); isExit(err, 1) {
			return nil
		} else if err != nil {
			return err
		}
	}
	if err := atomicfile.WritePath(t.baseFile(), 0o600, atomicfile.Text(head+"\n")); err != nil {
		return err
	}
	t.Base = head
	return t.Reset(ctx, head)
}

// unhide removes .gitignore files that are not the commit's and would hide files from git clean, themselves
// included. Those stay that are in a folder which the commit itself ignores.
func (t *Tree) unhide(ctx context.Context) error {
	others, err := t.git.records(ctx, nil, "ls-files", "-z", "--others")
	if err != nil {
		return err
	}
	hiding := map[string]bool{}
	var names []string
	for _, name := range others {
		if path.Base(name) == ".gitignore" {
			hiding[name] = true
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	rules, err := t.git.ignoring(ctx, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if rule := rules[name]; rule != "" && !hiding[rule] {
			continue
		}
		if err := os.Remove(filepath.Join(t.Dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}

// ignoring returns for each name the file with the rule by which it is ignored.
func (g git) ignoring(ctx context.Context, names []string) (map[string]string, error) {
	// The fields are the file of the rule, its line, the rule, and the name.
	fields, err := g.records(ctx, names, "check-ignore", "-z", "--verbose", "--non-matching", "--stdin")
	if err != nil && !isExit(err, 1) {
		return nil, err
	}
	rules := map[string]string{}
	for ; len(fields) >= 4; fields = fields[4:] {
		rules[fields[3]] = fields[0]
	}
	return rules, nil
}
