package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// mcpCommand is discoclaw mcp with the settings of a bot.
func mcpCommand(p *process) *exec.Cmd {
	cmd := exec.Command(p.program, "mcp")
	cmd.Args[0] = "discoclaw" // the test binary dispatches on it
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// TestTheBridgeLeadsToTheRunningBot has the official client start discoclaw mcp, as Claude Code does.
func TestTheBridgeLeadsToTheRunningBot(t *testing.T) {
	t.Parallel()
	p := start(t, self(t), "DISCOCLAW_MCP_ENABLED=1", fmt.Sprint("DISCOCLAW_MCP_PORT=", freePort(t)))
	p.online(t)
	cmd := mcpCommand(p)
	var said strings.Builder
	cmd.Stderr = &said
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, &said, &p.errs)
	}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "sendMessage", Arguments: map[string]string{"channel": "ops", "content": "hello from afar"}})
	if err != nil || got.IsError || !p.says("ops", "hello from afar")() {
		t.Errorf("%+v, %v\n%s\n%s", got, err, &said, p.world.Transcript())
	}
	if err := session.Close(); err != nil {
		t.Errorf("it ended with %v\n%s", err, &said)
	}
}

// TestATurnUsesAnMCPServer that is not ours: an example of the SDK, which is built for this. What it says is outside text, so what the
// model then wants to do waits on a card.
func TestATurnUsesAnMCPServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, file := filepath.Join(dir, "think"), filepath.Join(dir, "mcp.json")
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/modelcontextprotocol/go-sdk/examples/server/sequentialthinking").CombinedOutput(); err != nil {
		t.Skipf("the example cannot be built here: %v\n%s", err, said)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"mcpServers":{"think":{"command":%q}}}`, program), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, self(t), "DISCOCLAW_MCP_FILE="+file)
	p.online(t)
	p.model.Queue(func(x *llmtest.Exchange) {
		x.Call(llm.ToolCall{ID: "call_1", Name: "think_start_thinking", Input: []byte(`{"problem":"tea or coffee","sessionId":"s1","estimatedSteps":2}`)})
		x.Finish("tool_calls")
		x.Usage(llm.Usage{Input: 1, Output: 1})
		x.Done()
	}, llmtest.Text(`Tea.<discord-action>{"type":"sendMessage","channel":"ops","content":"tea"}</discord-action>`))
	p.world.MustSay("ada", "general", "what shall we drink?")
	p.until(func() bool {
		return strings.Contains(p.world.Transcript(), "I have also read a result of the MCP server think")
	})
	asked := p.model.Requests()
	if last := asked[1].Messages; !strings.Contains(last[len(last)-1].Content, "tea or coffee") || len(p.world.Messages("ops")) > 0 {
		t.Errorf("%+v\n%s", last[len(last)-1], p.world.Transcript())
	}
}

// TestTheBridgeNeedsARunningBot, and says so in a sentence.
func TestTheBridgeNeedsARunningBot(t *testing.T) {
	t.Parallel()
	p := &process{program: self(t), dir: t.TempDir()}
	for _, tt := range []struct {
		settings []string
		want     string
		exit     int
	}{
		{[]string{"DISCOCLAW_MCP_ENABLED=1", "DISCORD_ALLOW_USER_IDS=123456789012345678"}, "no bot is running with the data directory", exitFault},
		{nil, "set DISCOCLAW_MCP_ENABLED=1", exitMistake},
	} {
		p.env = append(tt.settings, "DISCOCLAW_DATA_DIR="+t.TempDir())
		cmd := mcpCommand(p)
		said, _ := cmd.CombinedOutput() // its exit code is looked at below
		if cmd.ProcessState.ExitCode() != tt.exit || !strings.Contains(string(said), tt.want) || strings.Count(string(said), "\n") != 1 {
			t.Errorf("%q: exit %d, %s", tt.settings, cmd.ProcessState.ExitCode(), said)
		}
	}
}
