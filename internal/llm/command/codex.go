package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// codex is the dialect of Codex.
//
// It reads files by commands alone, and its sandbox keeps these from writing and from the network, but lets them read
// every file of the account: the bot's own settings, too. So the level read has no commands, and with the level write
// it cannot be kept from reading outside of the workspace.
type codex struct{}

func (codex) traits() traits {
	return traits{
		product: "Codex", program: "codex", bin: "CODEX_BIN", keys: []string{"OPENAI_API_KEY", "CODEX_API_KEY"},
		models: "CODEX_MODEL or RUNTIME_MODEL", login: `"codex login"`,
		files: llm.ToolsWrite,
	}
}

func (codex) call(_ Options, req llm.Request, folder string) (call, error) {
	args := []string{
		"exec", "--json", "--ephemeral", "--skip-git-repo-check", "--color=never",
		"-c", `shell_environment_policy.inherit="core"`, // so that commands do not get the key
	}
	if req.Model != "" {
		args = append(args, "--model="+req.Model) // in one word, so that no name is an option
	}
	args = append(args, codexTools(req.Workspace)...)
	for i, image := range attached(req) {
		_, ending, _ := strings.Cut(image.Type, "/")
		file := filepath.Join(folder, fmt.Sprintf("image-%d.%s", i+1, filepath.Base(ending)))
		if err := os.WriteFile(file, image.Data, 0o600); err != nil {
			return call{}, fmt.Errorf("keep an image for the program: %w", err)
		}
		args = append(args, "--image="+file)
	}
	remark := ""
	if !req.Workspace.Level.Allows(llm.ToolsWrite) {
		remark = " Do not run commands and do not look at files: all that you need is here."
	}
	return call{args: append(args, "-"), stdin: []byte(prompt(req, remark))}, nil
}

func codexTools(w llm.Workspace) []string {
	web := `web_search="disabled"`
	if w.Root == "" && w.Level.Allows(llm.ToolsRead) && w.Level != llm.ToolsWrite { // pages do not steer what is changed
		web = `web_search="live"`
	}
	switch {
	case w.Level.Allows(llm.ToolsShell):
		return []string{"-c", web, "--dangerously-bypass-approvals-and-sandbox"}
	case w.Level.Allows(llm.ToolsWrite):
		args := []string{
			"-c", web, "--sandbox=workspace-write", "-c", "sandbox_workspace_write.network_access=false",
			"--ignore-user-config", "--ignore-rules", // which have servers with tools, and commands outside of the sandbox
		}
		if w.Root != "" {
			args = append(args, "-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true", "-c", "sandbox_workspace_write.exclude_slash_tmp=true")
		}
		return args
	}
	return []string{
		"-c", web, "--sandbox=read-only", "-c", "features.shell_tool=false", "-c", "features.unified_exec=false", "-c", "tools.view_image=false",
		"--ignore-user-config", "--ignore-rules",
	}
}

func (codex) listen(w llm.Workspace) reader {
	return &codexReader{tools: tools{}, shell: w.Level.Allows(llm.ToolsShell)}
}

// A codexReader holds every message of the model back until the next: only the last one is the answer, those before say
// what it is about to do.
type codexReader struct {
	outcome
	tools tools
	shell bool // commands may fetch anything

	message string
	trouble string // an error from which it may recover
}

// A codexLine has the fields of all types of lines.
type codexLine struct {
	Type    string
	Message string // of an error
	Error   struct{ Message string }
	Item    codexItem
	Usage   struct {
		Input  int `json:"input_tokens"`
		Cached int `json:"cached_input_tokens"`
		Output int `json:"output_tokens"`
	}
}

type codexItem struct {
	ID, Type, Text, Status string
	Command, Query         string
	Server, Tool           string
	Changes                []struct{ Path string }
}

func (r *codexReader) take(raw []byte) ([]llm.Event, bool) {
	var line codexLine
	if json.Unmarshal(raw, &line) != nil || line.Type == "" {
		return nil, false
	}
	switch line.Type {
	case "item.started", "item.updated", "item.completed":
		return r.item(line.Item, line.Type == "item.completed"), true
	case "turn.completed":
		return r.completed(line), true
	case "turn.failed":
		r.fail(newFault(cmp.Or(line.Error.Message, r.trouble)))
	case "error": // which is also said of a connection that is tried again
		r.trouble = line.Message
	}
	return nil, true
}

func (r *codexReader) item(i codexItem, completed bool) []llm.Event {
	if i.Type == "agent_message" && completed {
		r.message = i.Text
	}
	name, about, outside := r.tool(i)
	if name == "" {
		return []llm.Event{llm.Thinking{}}
	}
	var events []llm.Event
	if _, known := r.tools[i.ID]; !known {
		events = append(events, r.tools.start(i.ID, name, about, outside))
	}
	if completed {
		events = append(events, r.tools.end(i.ID, i.Status == "failed" || i.Status == "declined")...)
	}
	return events
}

// tool returns what an item says about a tool. Without a name it is about none.
func (r *codexReader) tool(i codexItem) (name, about, outside string) {
	switch i.Type {
	case "command_execution":
		if r.shell {
			outside = commandOutput
		}
		return "command", chat.OneLine(i.Command), outside
	case "file_change":
		if len(i.Changes) > 0 {
			about = i.Changes[0].Path
		}
		return "edit", about, ""
	case "web_search":
		return "web search", chat.OneLine(i.Query), webSearch
	case "mcp_tool_call":
		return i.Tool, i.Server, outputOf(i.Tool)
	case "collab_tool_call":
		return "agent", "", commandOutput
	}
	return "", "", ""
}

func (r *codexReader) completed(line codexLine) []llm.Event {
	r.end()
	events := r.tools.endAll()
	if text := r.rest(); text != "" {
		events = append(events, llm.TextDelta{Text: text})
	}
	if u := (llm.Usage{Input: line.Usage.Input, Cached: line.Usage.Cached, Output: line.Usage.Output}); u != (llm.Usage{}) {
		events = append(events, u)
	}
	return events
}

// rest returns the message that is held back, once.
func (r *codexReader) rest() string {
	text := r.message
	r.message = ""
	return text
}

func (r *codexReader) exited(int) *fault {
	if r.trouble == "" {
		return nil
	}
	return newFault(r.trouble)
}
