package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"discoclaw/internal/procgroup"
)

const (
	outputHead = 4 << 10
	outputTail = 32 << 10
)

// A Result is how a command that verifies a project has ended.
type Result struct {
	Passed   bool
	TimedOut bool
	Code     int // the exit code; -1 if the command was killed
	Took     time.Duration
	Output   string // the beginning and the end of what it has printed

	command string
	limit   time.Duration
}

// String says for people how it ended.
func (r Result) String() string {
	took := r.Took.Round(time.Second / 10)
	switch {
	case r.Passed:
		return fmt.Sprintf("`%s` passed in %s", r.command, took)
	case r.TimedOut:
		return fmt.Sprintf("`%s` was stopped because it took longer than %s", r.command, r.limit)
	case r.Code < 0:
		return fmt.Sprintf("`%s` was killed after %s", r.command, took)
	}
	return fmt.Sprintf("`%s` failed with exit code %d after %s", r.command, r.Code, took)
}

// Last returns the last n lines of the output that are not empty.
func (r Result) Last(n int) string {
	var lines []string
	for line := range strings.Lines(r.Output) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Verify runs a project's command in a worktree. It is a line for the shell, out of projects.json and never of a
// model's text. The command has nothing of the bot's environment but the path, and a home directory of its own, which
// keeps caches from one run to the next. What it starts is stopped with it. The error is about a command that could
// not be run; one that fails is a Result.
func (s *Trees) Verify(ctx context.Context, dir, command string, timeout time.Duration) (Result, error) {
	r := Result{command: oneLine(command), limit: timeout, Code: -1}
	if r.command == "" {
		return r, ErrNoCommand
	}
	if err := s.makeFolders(); err != nil {
		return r, err
	}
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	name, args := shell(command)
	cmd := exec.CommandContext(timed, name, args...)
	output := &clip{head: outputHead, tail: outputTail}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, output, output
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.verifyHome, "LANG=C.UTF-8", "TERM=dumb", "CI=true", // CI: do not wait for changes, do not ask
	}
	procgroup.Guard(cmd) // models wrote some of what it runs
	begun := time.Now()
	err := runGroup(cmd)
	r.Took, r.Output = time.Since(begun), output.String()
	if s.hide != nil {
		r.Output = s.hide(r.Output)
	}
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		r.Passed, r.Code = true, 0
	case ctx.Err() != nil:
		return r, ctx.Err()
	case timed.Err() != nil:
		r.TimedOut = true
	case failed:
		r.Code = exit.ExitCode()
	default:
		return r, fmt.Errorf("run `%s`: %w", r.command, err)
	}
	return r, nil
}
