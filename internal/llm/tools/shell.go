package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"discoclaw/internal/actions/dialect"
)

const (
	commandTime    = 30 * time.Second
	maxCommandTime = 600 * time.Second
	maxStream      = 100 << 10 // bytes that are kept of each output of a command
)

type bash struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // milliseconds
}

func (in bash) about() string { return in.Command }

func (in bash) run(ctx context.Context, s *session) (result, error) {
	limit := time.Duration(in.Timeout) * time.Millisecond
	switch {
	case strings.TrimSpace(in.Command) == "" || strings.ContainsRune(in.Command, 0):
		return result{}, errors.New("the command is missing, or has a zero byte in it")
	case in.Timeout < 0 || in.Timeout > int(maxCommandTime/time.Millisecond):
		return result{}, fmt.Errorf("the timeout is in milliseconds, and at most %d", maxCommandTime/time.Millisecond)
	}
	limit = cmp.Or(limit, commandTime)
	within, end := context.WithTimeout(ctx, limit)
	defer end()
	stdout, stderr := &ends{most: maxStream}, &ends{most: maxStream}
	err := execute(within, in.Command, s.box.dirs[1], environment(s.home(), s.Env), stdout, stderr)

	text := legible(stdout.String())
	if problems := legible(stderr.String()); problems != "" {
		text += "\n[stderr]\n" + problems
	}
	switch {
	case within.Err() != nil:
		text += fmt.Sprintf("\n(It was ended after %s. Give a longer timeout, up to %d, or do less at a time.)", limit, maxCommandTime/time.Millisecond)
	case err != nil:
		text += fmt.Sprintf("\n(It failed: %v)", err)
	case text == "":
		text = "(no output)"
	}
	return result{text: strings.TrimPrefix(text, "\n"), failed: err != nil, outside: "the output of a command"}, nil
}

// home is the home folder of commands: the workspace, also for those in a project, where the caches of programs would be taken for a part
// of the work.
func (s *session) home() string {
	if dir, err := filepath.Abs(s.Root); err == nil && s.box.project && s.Root != "" {
		return resolved(dir)
	}
	return s.box.dirs[1]
}

// environment is all that a command gets: nothing of the bot's own but what is named.
func environment(home string, names []string) []string {
	env := []string{
		"PATH=" + cmp.Or(os.Getenv("PATH"), "/usr/local/bin:/usr/bin:/bin"), "HOME=" + home, "LANG=" + cmp.Or(os.Getenv("LANG"), "C.UTF-8"),
		"TERM=dumb", "NO_COLOR=1",
	}
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// ansi are the sequences by which programs colour their output and move the cursor.
var ansi = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])")
})

// legible is a text from outside without control characters, hidden characters and markers of actions.
func legible(text string) string {
	text = strings.ToValidUTF8(ansi().ReplaceAllString(text, ""), "�")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	return dialect.Defuse(text)
}
