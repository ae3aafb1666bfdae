//go:build unix

package worktree_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/worktree"
	"discoclaw/internal/test/skip"
)

// ample is a timeout that no command here reaches.
const ample = 5 * time.Minute

func verify(t *testing.T, s sample, command string) worktree.Result {
	t.Helper()
	r, err := s.trees.Verify(t.Context(), s.project.Dir, command, ample)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerifyRunsTheTestsOfAProject(t *testing.T) {
	t.Parallel()
	skip.UnderRace(t, "the work is done by the go command")
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip("there is no go command to run the sample's tests")
	}
	s := newSample(t)
	tree := s.open(t)
	s.project.Dir = tree.Dir
	command := "GOCACHE=" + strings.TrimSpace(string(cache)) + " GOTOOLCHAIN=local go test ./..."
	if r := verify(t, s, command); !r.Passed || r.Code != 0 || !strings.Contains(r.Output, "ok  \tgreeter") || !strings.Contains(r.String(), "` passed in ") {
		t.Errorf("%s: %+v", r, r)
	}
	write(t, tree.Dir, "greet.go", "package greeter\n\nfunc Greet() string { return \"bye\" }\n")
	r := verify(t, s, command)
	if r.Passed || r.Code != 1 || !strings.Contains(r.String(), "` failed with exit code 1 after ") || !strings.Contains(r.Output, "not hello") {
		t.Errorf("%s: %+v", r, r)
	}
	if last := r.Last(2); !strings.HasPrefix(last, "FAIL\tgreeter") || !strings.HasSuffix(last, "\nFAIL") {
		t.Errorf("the last lines are %q", last)
	}
}

func TestVerifyHasNothingOfTheBotsEnvironment(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	home := filepath.Join(s.data, "verify-home")
	lines := strings.Split(strings.TrimSpace(verify(t, s, "env; echo left > ~/left").Output), "\n")
	var names []string
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		names = append(names, name)
		if name == "HOME" && value != home || name == "PWD" && value != s.project.Dir {
			t.Errorf("%s", line)
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "_" || name == "SHLVL" || name == "OLDPWD" }) // of some shells
	requireLines(t, "variables", names, "CI", "HOME", "LANG", "PATH", "PWD", "TERM")
	if read(home, "left") != "left\n" {
		t.Error("the home directory does not keep what is written there")
	}
}

func TestVerifyBoundsTheOutput(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	r := verify(t, s, `echo the beginning; i=0; while [ $i -lt 4000 ]; do echo "line $i, größer"; i=$((i+1)); done; printf '\377 the end\n\n' >&2; exit 3`)
	if r.Code != 3 || !strings.HasPrefix(r.Output, "the beginning\n") || !strings.Contains(r.Output, " bytes are left out …]\n") || r.Last(1) != "\uFFFD the end" {
		t.Errorf("code %d, output %q", r.Code, r.Output)
	}
	if n := len(r.Output); n < 35<<10 || n > 37<<10 {
		t.Errorf("%d bytes are kept", n)
	}
	if r := verify(t, s, "seq 2000"); strings.Contains(r.Output, "left out") || len(strings.Fields(r.Output)) != 2000 {
		t.Errorf("short output is cut: %q", r.Output)
	}
}

func TestVerifySaysHowACommandEnded(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	for _, tt := range []struct {
		command, says string
		code          int
	}{
		{"true", "`true` passed in ", 0},
		{"exit 7", "`exit 7` failed with exit code 7 after ", 7},
		{"no-such-program", "`no-such-program` failed with exit code 127 after ", 127},
		{"kill -9 $$", "`kill -9 $$` was killed after ", -1},
	} {
		if r := verify(t, s, tt.command); r.Code != tt.code || r.Passed != (tt.code == 0) || !strings.HasPrefix(r.String(), tt.says) {
			t.Errorf("%s: %+v", r, r)
		}
	}
	r, err := s.trees.Verify(t.Context(), s.project.Dir, "exec sleep 600", 50*time.Millisecond)
	if err != nil || !r.TimedOut || r.Passed || r.String() != "`exec sleep 600` was stopped because it took longer than 50ms" {
		t.Errorf("%s: %+v, %v", r, r, err)
	}
	_, err = s.trees.Verify(t.Context(), s.project.Dir, " ", ample)
	requireError(t, chat.ForOperators(err), "no command is known", "projects.json")
	_, err = s.trees.Verify(t.Context(), "/nowhere", "true", ample)
	requireError(t, err, "run `true`")
}

// TestVerifyLeavesNoProcess: a pipe ends when all processes have ended that have it open.
func TestVerifyLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		command string
		ends    bool // by itself
	}{
		"children of a cancelled command": {"(echo ready; exec sleep 600) > pipe & wait", false},
		"children that ignore a request":  {"(trap '' TERM; echo ready; sleep 600) > pipe & wait", false},
		"daemons":                         {"exec 3> pipe; setsid sh -c 'trap \"\" TERM; echo ready >&3; sleep 600' & wait", false},
		"what was left in the background": {"exec 3> pipe; echo ready >&3; sleep 600 & exit 0", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(tt.command, "setsid") && runtime.GOOS != "linux" {
				t.Skip("only Linux ends processes that have left their group")
			}
			s := newSample(t)
			pipe := filepath.Join(s.project.Dir, "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := s.trees.Verify(ctx, s.project.Dir, tt.command, ample)
				done <- err
			}()
			f, err := os.Open(pipe) // waits for the other end
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			in := bufio.NewReader(f)
			if line, err := in.ReadString('\n'); line != "ready\n" {
				t.Fatalf("read %q, %v", line, err)
			}
			if !tt.ends {
				cancel()
			}
			if err := <-done; tt.ends && err != nil || !tt.ends && !errors.Is(err, context.Canceled) {
				t.Errorf("verify returned %v", err)
			}
			if _, err := io.Copy(io.Discard, in); err != nil { // waits until it ends
				t.Fatal(err)
			}
		})
	}
}
