package tools_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/llm/tools"
)

const (
	asBot  = "TOOLS_TEST_AS_BOT" // "hidden" or "open": whether the bot hides its environment
	secret = "canary-of-the-environment"
)

// actAsBot is a bot whose model looks for its keys.
func actAsBot() {
	if os.Getenv(asBot) == "hidden" {
		if err := tools.HideEnvironment(); err != nil {
			fmt.Println("not hidden:", err)
			return
		}
	}
	req := at(llm.ToolsShell)
	command := fmt.Sprintf(`env; cat /proc/%[1]d/environ | tr '\0' '\n'; head -c 10 /proc/%[1]d/mem`, os.Getpid())
	model := script.New(script.Answer{script.Call("1", "bash", encode(fields{"command": command}))}, script.Say("done"))
	for _, err := range tools.Looped(model, tools.Options{Root: os.Getenv("TOOLS_TEST_ROOT")}).Invoke(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
		}
	}
	messages := model.Requests()[1].Messages
	fmt.Println(messages[len(messages)-1].Results[0].Text)
}

func TestCommandsCannotReadTheKeysOfARunningBot(t *testing.T) {
	open, hidden := bot(t, "open"), bot(t, "hidden")
	if !strings.Contains(open, secret) {
		t.Errorf("without a defence the environment should be readable, or this test sees nothing:\n%s", open)
	}
	if strings.Contains(hidden, secret) || !strings.Contains(hidden, "environ: Permission denied") {
		t.Errorf("a command could read the bot's environment:\n%s", hidden)
	}
}

// bot runs this program as a bot in an account that is not root's.
func bot(t *testing.T, how string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bot")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "bot")
	copyProgram(t, program)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = []string{asBot + "=" + how, "TOOLS_TEST_ROOT=" + dir, "DISCORD_TOKEN=" + secret, "PATH=" + os.Getenv("PATH")}
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, from); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
