package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"discoclaw/internal/procgroup"
)

const (
	botName  = "DiscoClaw"
	botEmail = "bot@discoclaw.invalid"
)

// git runs git on one repository. It uses commands for scripts only, whose output is stable and which have few
// settings, and tells git where everything is, so that nothing in the worktree can lead it elsewhere.
type git struct {
	program  string
	home     string   // an empty folder
	common   string   // the repository's own folder, which all of its worktrees share
	gitDir   string   // common, or the registration of a worktree
	workTree string   // where commands run
	off      []string // settings of the repository that would run programs, made harmless
}

// settings keep git from running programs of the repository's configuration, whose paths may well lead into the
// worktree (core.hooksPath=.githooks).
var settings = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "submodule.recurse=false", "i18n.commitEncoding=UTF-8",
	"worktree.useRelativePaths=false", // which would change the repository's configuration
}

// environ has nothing of the bot's own environment but the path.
func (g git) environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		// A partial clone fetches what it lacks whenever a command needs it. No protocol has this name, and the
		// variable wins over the configuration; older versions of git do not know the other one.
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
		"GIT_AUTHOR_NAME=" + botName, "GIT_AUTHOR_EMAIL=" + botEmail,
		"GIT_COMMITTER_NAME=" + botName, "GIT_COMMITTER_EMAIL=" + botEmail,
	}
}

// run runs git, with the error that people read.
func (g git) run(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	flags := []string{"--no-pager"}
	for _, setting := range slices.Concat(settings, g.off) {
		flags = append(flags, "-c", setting)
	}
	env := g.environ()
	if g.gitDir != "" {
		flags = append(flags, "--git-dir="+g.gitDir)
	} else {
		env = append(env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(g.workTree))
	}
	if g.gitDir != g.common {
		flags = append(flags, "--work-tree="+g.workTree)
	}
	cmd := exec.CommandContext(ctx, g.program, append(flags, args...)...)
	problems := &clip{head: 4 << 10}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = g.workTree, env, in, out, problems
	procgroup.Set(cmd)
	err := runGroup(cmd)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return gitError{command: args[0], err: err, said: complaint(problems.String())}
}

// A gitError is what git has said about why it ended.
type gitError struct {
	command, said string
	err           error
}

func (e gitError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("git %s: %v", e.command, e.err)
	}
	return fmt.Sprintf("git %s: %s", e.command, e.said)
}

func (e gitError) Unwrap() error { return e.err }

// complaint is the line of git's messages that says what is wrong.
func complaint(messages string) string {
	var last string
	for line := range strings.Lines(messages) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			return rest
		}
		if line != "" {
			last = strings.TrimPrefix(line, "error: ")
		}
	}
	return last
}

// output runs git and returns what it prints, without the last line's end.
func (g git) output(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := g.run(ctx, nil, &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// records runs git with -z in its arguments, and returns what it prints. Unlike lines, these records may be names of files
// that contain line ends.
func (g git) records(ctx context.Context, in []string, args ...string) ([]string, error) {
	var out bytes.Buffer
	if err := g.run(ctx, strings.NewReader(zeroEnded(in)), &out, args...); err != nil {
		return nil, err
	}
	if out.Len() == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00"), nil
}

func zeroEnded(list []string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(s)
		b.WriteByte(0)
	}
	return b.String()
}

// commit returns the full hash of the commit that a name stands for.
func (g git) commit(ctx context.Context, name string) (string, error) {
	return g.output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
}

// repository returns the git of the repository that is checked out in a folder, not in one above it.
func (g git) repository(ctx context.Context, dir string) (git, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return git{}, fmt.Errorf("the folder %s does not exist", dir)
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return git{}, err
	}
	g.workTree = resolved
	if _, err := os.Lstat(filepath.Join(resolved, ".git")); err != nil {
		return git{}, fmt.Errorf("%s is not a git repository; run `git init` there, or name the folder that has .git in it", dir)
	}
	folder, err := g.output(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return git{}, fmt.Errorf("%s is not a git repository that works: %w", dir, err)
	}
	common, err := g.output(ctx, "rev-parse", "--git-common-dir")
	if err != nil {
		return git{}, err
	}
	if !filepath.IsAbs(common) {
		common = filepath.Join(resolved, common)
	}
	g.gitDir, g.common = folder, common
	g.off, err = g.filters(ctx)
	return g, err
}

// filters returns the settings without which the filters of the repository's configuration do nothing. Which
// files they are for is said by .gitattributes, which a model can write, as it can the script of a relative path.
// So files of Git LFS are pointers in a worktree, and are committed as such.
func (g git) filters(ctx context.Context) (off []string, err error) {
	names, err := g.records(ctx, nil, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if isExit(err, 1) {
		return nil, nil // there are none
	}
	for _, name := range names {
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		if strings.Contains(name, "=") {
			return nil, fmt.Errorf("the project's git configuration has %q, which cannot be switched off because of its equals sign; rename this filter", name)
		}
		off = append(off, name+"="+value)
	}
	return off, err
}

// isExit is whether a program has ended with this code.
func isExit(err error, code int) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == code
}
