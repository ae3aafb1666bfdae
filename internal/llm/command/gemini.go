package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"discoclaw/internal/llm"
)

// gemini is the dialect of the Gemini CLI.
//
// Its tools are set by a file that goes before the settings of the account and of the workspace. Its file tools stay in
// the workspace. It reads variables from a file .env in the folders around that, and instructions from GEMINI.md.
type gemini struct{}

func (gemini) traits() traits {
	return traits{
		product: "the Gemini CLI", program: "gemini", bin: "GEMINI_BIN", keys: []string{"GEMINI_API_KEY"},
		models: "GEMINI_MODEL or RUNTIME_MODEL", login: "gemini",
		// Both may also be a link or a folder. The first can add folders that it may work in, the second variables.
		files: llm.ToolsRead, settings: []string{".gemini", ".env"},
	}
}

const geminiUnseen = "(There were pictures with this message, but they could not be shown to you: this program takes none. Say so if they matter.)"

func (gemini) call(_ Options, req llm.Request, folder string) (call, error) {
	req, _ = req.WithoutFiles(geminiUnseen)
	settings, approval := geminiSettings(req.Workspace)
	text, err := json.Marshal(settings)
	if err != nil {
		return call{}, err
	}
	file := filepath.Join(folder, "settings.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return call{}, err
	}
	args := []string{"--output-format=stream-json", "--approval-mode=" + approval, "--extensions=none"}
	if req.Model != "" {
		args = append(args, "--model="+req.Model) // in one word, so that no name is an option
	}
	// It would replace a name with an @ in front with the file of that name, whatever its tools are, but for a backslash.
	stdin := strings.ReplaceAll(prompt(req, " At signs have a backslash in front of them here; leave it out."), "@", `\@`)
	return call{args: args, env: []string{"GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + file}, stdin: []byte(stdin)}, nil
}

// geminiSettings returns the settings for the rights of a request, and what is approved without asking.
func geminiSettings(w llm.Workspace) (settings map[string]any, approval string) {
	tools := map[string]any{"discoveryCommand": ""} // the workspace could name one
	settings = map[string]any{
		"tools":       tools,
		"mcp":         map[string]any{"allowed": []string{"none"}},
		"hooksConfig": map[string]any{"enabled": false},
		"security":    map[string]any{"folderTrust": map[string]any{"enabled": false}}, // it would ask
		"general":     map[string]any{"disableAutoUpdate": true},
		"privacy":     map[string]any{"usageStatisticsEnabled": false},
	}
	if w.Level.Allows(llm.ToolsShell) {
		if w.Root != "" {
			tools["exclude"] = []string{"web_fetch", "google_web_search"}
		}
		return settings, "yolo"
	}
	core, approval := []string{}, "default"
	if w.Level.Allows(llm.ToolsRead) {
		core = append(core, "list_directory", "read_file", "read_many_files", "glob", "grep_search", "search_file_content")
	}
	if w.Level.Allows(llm.ToolsWrite) {
		core, approval = append(core, "replace", "write_file"), "auto_edit"
	}
	tools["core"] = core
	return settings, approval
}

func (gemini) listen(llm.Workspace) reader { return &geminiReader{tools: tools{}} }

// A geminiReader takes the text as it is written, also what was said before a tool was used, as that of Claude does.
type geminiReader struct {
	outcome
	tools tools

	wrote   bool // there is text
	gap     bool // a tool was used since
	trouble string
}

// A geminiLine has the fields of all types of lines.
type geminiLine struct {
	Type          string
	Role, Content string // of a message
	Tool          string `json:"tool_name"`
	ID            string `json:"tool_id"`
	Parameters    json.RawMessage
	Status        string
	Severity      string
	Message       string // of an error
	Error         struct{ Type, Message string }
	Stats         struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
		Cached int
	}
}

func (r *geminiReader) take(raw []byte) ([]llm.Event, bool) {
	var line geminiLine
	if json.Unmarshal(raw, &line) != nil || line.Type == "" {
		return nil, false
	}
	switch {
	case line.Type == "message" && line.Role == "assistant" && line.Content != "":
		text := line.Content
		if r.gap && r.wrote {
			text = "\n\n" + text
		}
		r.wrote, r.gap = true, false
		return []llm.Event{llm.TextDelta{Text: text}}, true
	case line.Type == "tool_use":
		r.gap = true
		about := subject(line.Parameters)
		return []llm.Event{r.tools.start(line.ID, line.Tool, about, geminiOutside(line.Tool))}, true
	case line.Type == "tool_result":
		return r.tools.end(line.ID, line.Status == "error"), true
	case line.Type == "error" && line.Severity == "error":
		r.trouble = line.Message
	case line.Type == "error":
		return []llm.Event{llm.Thinking{}}, true // a warning
	case line.Type == "result":
		return r.result(line), true
	}
	return nil, true
}

// geminiOutside names what a tool has read. Those that are not known may have read anything.
func geminiOutside(tool string) string {
	switch tool {
	case "list_directory", "read_file", "read_many_files", "glob", "grep_search", "search_file_content", "replace", "write_file", "write_todos":
		return ""
	case "web_fetch": // whose addresses stand in a text for the model that reads them
		return pageOf("")
	case "google_web_search":
		return webSearch
	case "run_shell_command":
		return commandOutput
	}
	return outputOf(tool)
}

func (r *geminiReader) result(line geminiLine) []llm.Event {
	switch {
	case line.Status != "success":
		r.fail(newFault(line.Error.Type, line.Error.Message, r.trouble))
	case r.trouble != "": // it gave up, and counts that as success
		r.fail(newFault(r.trouble))
	default:
		r.end()
	}
	events := r.tools.endAll()
	if u := (llm.Usage{Input: line.Stats.Input, Cached: line.Stats.Cached, Output: line.Stats.Output}); u != (llm.Usage{}) {
		events = append(events, u)
	}
	return events
}

func (*geminiReader) rest() string { return "" }

// exited knows the program's exit codes, as they are documented.
func (r *geminiReader) exited(code int) *fault {
	switch {
	case r.trouble != "":
		return newFault(r.trouble)
	case code == 41:
		return &fault{kind: llm.Unauthorized, told: "exit code 41"}
	case code == 42:
		return &fault{kind: llm.Refused, told: "exit code 42: its input was not accepted"}
	case code == 53:
		return &fault{kind: llm.Cut, told: "exit code 53: it reached its limit of turns"}
	}
	return nil
}
