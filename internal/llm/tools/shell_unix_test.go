//go:build unix

package tools_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/llm/tools"
)

func TestSpecialFilesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := tools.Options{Root: dir}
	for _, tool := range []string{"read_file", "edit_file", "write_file"} {
		input := map[string]string{
			"read_file": `{"file_path":"pipe"}`, "edit_file": `{"file_path":"pipe","old_string":"a","new_string":"b"}`, "write_file": `{"file_path":"pipe","content":"b"}`,
		}[tool]
		wants(t, call(t, o, llm.ToolsWrite, tool, input), true, "This is not a plain file, and only plain files can be used.")
	}
	wants(t, call(t, o, llm.ToolsWrite, "search_content", `{"pattern":"."}`), false, "No matches found.")
}

func TestBash(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "alpha"})
	for _, tt := range []struct {
		name   string
		input  fields
		failed bool
		want   string
	}{
		{"in the workspace", fields{"command": "cat a.txt && pwd"}, false, "alpha" + dir},
		{"no output", fields{"command": "true"}, false, "(no output)"},
		{"exit status", fields{"command": "echo no >&2; exit 3"}, true, "[stderr]\nno\n\n(It failed: exit status 3)"},
		{"no input", fields{"command": "cat; echo end"}, false, "end"},
		{"it is bash, if there is one", fields{"command": "x=(1 2); echo ${x[1]}"}, false, "2"},
		{"colours", fields{"command": `printf '\033[31mred\033[0m \033]0;title\007x\r\n'`}, false, "red x"},
		{"markers", fields{"command": "echo '<discord-action>{}'"}, false, "‹discord-action>{}"},
		{"not UTF-8", fields{"command": `printf 'caf\351'`}, false, "caf\ufffd"},
		{"a large file", fields{"command": "head -c 1100000000 /dev/zero > big"}, true, "(It failed: "},
		{"missing", fields{}, true, "The command is missing"},
		{"zero", fields{"command": "echo a\x00b"}, true, "has a zero byte in it"},
		{"too long a time", fields{"command": "true", "timeout": 600_001}, true, "at most 600000"},
		{"syntax", fields{"command": "if"}, true, "syntax error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wants(t, call(t, tools.Options{Root: dir}, llm.ToolsShell, "bash", tt.input), tt.failed, tt.want)
		})
	}
}

func TestACommandTaintsTheTurn(t *testing.T) {
	r := loop(t.Context(), tools.Options{Root: t.TempDir()}, at(llm.ToolsShell), script.Answer{script.Call("1", "bash", `{"command":"echo  hi"}`)}, script.Say("done"))
	if r.events[0] != (llm.ToolStart{Name: "bash", About: "echo hi", Changes: true}) || r.events[1] != (llm.ToolEnd{Name: "bash", Outside: "the output of a command"}) {
		t.Errorf("%#v", r.events)
	}
}

func TestAFloodOfOutputIsCut(t *testing.T) {
	got := call(t, tools.Options{Root: t.TempDir()}, llm.ToolsShell, "bash", fields{"command": "echo first; yes | head -c 50000000; echo last"})
	if got.Failed || !strings.HasPrefix(got.Text, "first\ny\n") || !strings.HasSuffix(got.Text, "y\nlast\n") || !strings.Contains(got.Text, "bytes left out") || len(got.Text) > 66<<10 {
		t.Errorf("%d bytes: %.50q … %q", len(got.Text), got.Text, got.Text[len(got.Text)-50:])
	}
}

// TestCommandsGetNoneOfOurEnvironment has secrets in the bot's environment, one of which is meant for commands.
func TestCommandsGetNoneOfOurEnvironment(t *testing.T) {
	t.Setenv("DISCORD_TOKEN", canary)
	t.Setenv("OPENAI_API_KEY", canary)
	t.Setenv("BASH_ENV", "/etc/passwd")
	t.Setenv("WANTED", "yes please")
	dir := t.TempDir()
	got := call(t, tools.Options{Root: dir, Env: []string{"WANTED", "UNSET"}}, llm.ToolsShell, "bash", fields{"command": "env | sort; export -p; set"})
	if strings.Contains(got.Text, canary) || strings.Contains(got.Text, "BASH_ENV") || strings.Contains(got.Text, "UNSET") {
		t.Errorf("a command's environment is\n%s", got.Text)
	}
	for _, want := range []string{"HOME=" + dir + "\n", "TERM=dumb\n", "NO_COLOR=1\n", "WANTED=yes please\n", "PATH=", "LANG="} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%s is missing in\n%s", want, got.Text)
		}
	}
}

func TestCommandsEnd(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		timeout       int
		failed        bool
		want          string
	}{
		{"at the deadline", "echo $$ > pid; echo begun; sleep 100", 300, true, "begun\n\n(It was ended after 300ms. Give a longer timeout, up to 600000, or do less at a time.)"},
		{"that ignore the first signal", "echo $$ > pid; trap '' TERM; echo begun; while :; do sleep 0.1; done", 300, true, "(It was ended after 300ms."},
		{"with all that they started", "(echo $BASHPID > pid; exec sleep 100) & until [ -s pid ]; do :; done; echo begun", 10_000, false, "begun"},
		{"with what they started, at the deadline", "sh -c 'echo $$ > pid; sleep 100' & wait", 300, true, "(It was ended after 300ms."},
		{"with a process that left the group", "setsid sh -c 'echo $$ > pid; sleep 100' & until [ -s pid ]; do :; done; echo begun", 10_000, false, "begun"},
		{"with a daemon", `(setsid sh -c 'sh -c "echo \$\$ > pid; exec sleep 100" >/dev/null 2>&1 &' &); until [ -s pid ]; do :; done; echo begun`, 10_000, false, "begun"},
		{"with a daemon, at the deadline", "(setsid sh -c 'echo $$ > pid; trap \"\" TERM; sleep 100' &); sleep 100", 300, true, "(It was ended after 300ms."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.command, "setsid") && runtime.GOOS != "linux" {
				t.Skip("only Linux ends processes that have left their group")
			}
			dir := t.TempDir()
			wants(t, call(t, tools.Options{Root: dir}, llm.ToolsShell, "bash", fields{"command": tt.command, "timeout": tt.timeout}), tt.failed, tt.want)
			requireGone(t, dir)
		})
	}
}

func TestACancelledCommandIsKilled(t *testing.T) {
	dir := t.TempDir()
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	model := script.New(script.Answer{script.Call("1", "bash", `{"command":"trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done","timeout":600000}`)})
	go func() {
		pidIn(t, dir)
		cancel(stopped)
	}()
	var last error
	var began time.Time
	for event, err := range tools.Looped(model, tools.Options{Root: dir}).Invoke(ctx, at(llm.ToolsShell)) {
		if _, ok := event.(llm.ToolStart); ok {
			began = time.Now()
		}
		last = err
	}
	if last != stopped || time.Since(began) > 20*time.Second {
		t.Errorf("%v after %s", last, time.Since(began))
	}
	requireGone(t, dir)
}

// pidIn waits until a command has written its process ID.
func pidIn(t *testing.T, dir string) int {
	for range 2000 {
		data, _ := os.ReadFile(filepath.Join(dir, "pid"))
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
			return pid
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("the command did not begin")
	return 0
}

// requireGone waits until a process is gone. A dead one whose parent is gone, too, may stay in the table.
func requireGone(t *testing.T, dir string) {
	t.Helper()
	pid := pidIn(t, dir)
	for range 2000 {
		if syscall.Kill(pid, 0) != nil || isZombie(pid) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d still runs", pid)
}

func isZombie(pid int) bool {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return strings.Contains(string(data), ") Z ")
}

// TestACommandOfAProjectRunsThere, but what programs keep in the home folder is kept out of it.
func TestACommandOfAProjectRunsThere(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	for workspace, want := range map[string]string{home: root + " " + home, "": root + " " + root} {
		got := callIn(t, tools.Options{Root: workspace}, root, llm.ToolsShell, "bash", fields{"command": `echo "$PWD $HOME"`})
		wants(t, got, false, want)
	}
}
