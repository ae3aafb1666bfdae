package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"unicode"
)

// A Tree is the worktree of a plan. It is for one phase at a time.
type Tree struct {
	Dir    string // where the phases of the plan work
	Branch string // what they are committed to
	Base   string // the commit at which the plan began

	project git    // of the project's own checkout
	admin   string // where the repository keeps the state of this worktree; empty if it is not there
	git     git    // of this worktree
}

// ref is the full name of the branch.
func (t *Tree) ref() string { return "refs/heads/" + t.Branch }

// Begin returns the commit from which a phase starts. One that is resumed keeps the commit that it began with: what
// was left in the worktree since then is still its own, unless Reset drops it.
func (t *Tree) Begin(ctx context.Context) (string, error) {
	commit, err := t.project.commit(ctx, t.ref())
	if err != nil && ctx.Err() == nil {
		return "", fmt.Errorf("the branch %s is gone; bring it back with `git branch %[1]s %s` in the project", t.Branch, t.Base)
	}
	return commit, err
}

// A Change is a file that is not as it was.
type Change struct {
	Kind Kind
	Path string // with slashes, from the top of the worktree
	From string // the former path of a renamed file
}

// A Kind says what has become of a file.
type Kind string

const (
	Added    Kind = "added"
	Modified Kind = "modified"
	Deleted  Kind = "deleted"
	Renamed  Kind = "renamed"
)

// Changed returns what has changed since a commit, whether it has been committed in the meantime or not. Ignored
// files are not among it.
func (t *Tree) Changed(ctx context.Context, since string) ([]Change, error) {
	if err := t.stage(ctx); err != nil {
		return nil, err
	}
	records, err := t.git.records(ctx, nil, "diff-index", "--cached", "-z", "--name-status", "-M", since, "--")
	if err != nil {
		return nil, err
	}
	var list []Change
	for len(records) > 1 {
		c := Change{Kind: kinds[records[0][0]], Path: records[1]}
		records = records[2:]
		if c.Kind == Renamed && len(records) > 0 {
			c.From, c.Path, records = c.Path, records[0], records[1:]
		}
		list = append(list, c)
	}
	return list, nil
}

// kinds are by git's letters. A file that became a link, or the other way round, is modified.
var kinds = map[byte]Kind{'A': Added, 'M': Modified, 'T': Modified, 'D': Deleted, 'R': Renamed}

// Diff returns what has changed since a commit as a patch, of which at most the first limit bytes.
func (t *Tree) Diff(ctx context.Context, since string, limit int) (string, error) {
	if err := t.stage(ctx); err != nil {
		return "", err
	}
	patch := &clip{head: limit}
	err := t.git.run(ctx, nil, patch, "diff-index", "--cached", "-p", "-M", "--no-ext-diff", "--no-textconv", since, "--")
	return patch.String(), err
}

// Snapshot returns the hash of everything in the worktree that is not ignored. It is the same as long as no file changes.
func (t *Tree) Snapshot(ctx context.Context) (string, error) {
	if err := t.stage(ctx); err != nil {
		return "", err
	}
	return t.git.output(ctx, "write-tree")
}

// Commit makes one commit of everything that has changed since a commit, by the bot, and returns it. What a
// runtime has committed by itself becomes part of it. Without changes it returns the commit that it was given.
func (t *Tree) Commit(ctx context.Context, since, title string) (string, error) {
	commit, err := t.Keep(ctx, since, title)
	if err != nil {
		return "", err
	}
	_, err = t.git.output(ctx, "update-ref", "-m", "commit: "+oneLine(title), t.ref(), commit)
	return commit, err
}

// Keep makes the same commit without putting it on the branch. Git keeps such a commit for two weeks, so people can get
// back by its hash what a Reset is about to drop.
func (t *Tree) Keep(ctx context.Context, since, title string) (string, error) {
	tree, err := t.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	before, err := t.git.output(ctx, "rev-parse", "--verify", since+"^{tree}")
	if err != nil || tree == before {
		return since, err
	}
	var out bytes.Buffer
	// Unlike git commit, it runs no hooks, signs nothing and never opens an editor.
	if err := t.git.run(ctx, strings.NewReader(oneLine(title)+"\n"), &out, "commit-tree", "-p", since, "-F", "-", tree); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// oneLine is a title, which a model may have written, without line ends and control characters.
func oneLine(title string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, clean(title))
	return strings.Join(strings.Fields(visible), " ")
}

// requireCommitted returns ErrUncommitted if the worktree has changes that removing it would lose.
func (t *Tree) requireCommitted(ctx context.Context) error {
	_, err := os.Lstat(t.Dir)
	switch {
	case err != nil || t.halfMade():
		return nil
	case t.admin == "":
		return fmt.Errorf("git does not know it any more, so perhaps %w; open it, or discard them", ErrUncommitted)
	}
	tip, err := t.Begin(ctx)
	if err != nil {
		return err
	}
	changes, err := t.Changed(ctx, tip)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		return fmt.Errorf("%w (%d files, such as %q); commit them, or discard them", ErrUncommitted, len(changes), changes[0].Path)
	}
	return nil
}
