package command

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"discoclaw/internal/llm"
)

// claude is the dialect of Claude Code.
//
// Without the level shell it has only the tools that are named to it, and no permission to read or write outside of its
// folder. It does read the settings of its own account, with whatever hooks and plug-ins people have put there.
type claude struct{}

func (claude) traits() traits {
	return traits{
		product: "Claude Code", program: "claude", bin: "CLAUDE_BIN", keys: []string{"ANTHROPIC_API_KEY"},
		models: "RUNTIME_MODEL", login: "claude",
		files: llm.ToolsRead,
	}
}

func (claude) call(o Options, req llm.Request, _ string) (call, error) {
	stdin, err := json.Marshal(claudeInput(req))
	if err != nil {
		return call{}, err
	}
	args := []string{
		"-p", "--input-format=stream-json", "--output-format=stream-json", "--verbose", "--include-partial-messages",
		"--no-session-persistence", "--strict-mcp-config",
		// Settings of the workspace could name commands to run, and a model with the level write can change them.
		"--setting-sources=user",
	}
	if req.Model != "" {
		args = append(args, "--model="+req.Model) // in one word, so that no name is an option
	}
	if o.MaxUSD > 0 {
		args = append(args, "--max-budget-usd="+strconv.FormatFloat(o.MaxUSD, 'f', -1, 64))
	}
	return call{
		args: append(args, claudeTools(req.Workspace)...),
		// People write names with an @ in front. They are not to be replaced with files of that name.
		env:   []string{"CLAUDE_CODE_DISABLE_ATTACHMENTS=1"},
		stdin: append(stdin, '\n'),
	}, nil
}

func claudeTools(w llm.Workspace) []string {
	if w.Level.Allows(llm.ToolsShell) {
		args := []string{"--tools=default", "--dangerously-skip-permissions"}
		if w.Root != "" {
			args = append(args, "--disallowedTools=WebFetch,WebSearch")
		}
		return args
	}
	if !w.Level.Allows(llm.ToolsRead) {
		return []string{"--tools="}
	}
	tools := []string{"Read", "Glob", "Grep"}
	var args []string
	if w.Level.Allows(llm.ToolsWrite) {
		tools = append(tools, "Edit", "Write")
		args = append(args, "--permission-mode=acceptEdits")
		if w.Root != "" { // Edit stands for all tools that change files
			args = append(args, "--disallowedTools=Edit(**/.git),Edit(**/.git/**)")
		}
	}
	return append(args, "--tools="+strings.Join(tools, ","))
}

type (
	claudeMessage struct {
		Type    string `json:"type"`
		Message struct {
			Role    string        `json:"role"`
			Content []claudeBlock `json:"content"`
		} `json:"message"`
	}
	claudeBlock struct {
		Type   string        `json:"type"`
		Text   string        `json:"text,omitempty"`
		Source *claudeSource `json:"source,omitempty"`
	}
	claudeSource struct {
		Type  string `json:"type"`
		Media string `json:"media_type"`
		Data  []byte `json:"data"`
	}
)

func claudeInput(req llm.Request) claudeMessage {
	in := claudeMessage{Type: "user"}
	in.Message.Role = "user"
	in.Message.Content = []claudeBlock{{Type: "text", Text: prompt(req, "")}}
	for _, i := range attached(req) {
		in.Message.Content = append(in.Message.Content, claudeBlock{Type: "image", Source: &claudeSource{Type: "base64", Media: i.Type, Data: i.Data}})
	}
	return in
}

func (claude) listen(llm.Workspace) reader { return &claudeReader{tools: tools{}} }

// A claudeReader takes the text as it is written. That of several messages, with tools between them, is one answer: what
// was said before a tool was used, such as an action, is said, and cannot be taken back.
type claudeReader struct {
	outcome
	tools tools

	wrote  bool   // there is text
	gap    bool   // the next text is of another message
	stop   string // why the latest message ended
	reason string // of an error, in the program's words
}

// A claudeLine has the fields of all types of lines.
type claudeLine struct {
	Type    string
	Parent  string `json:"parent_tool_use_id"` // set for what an agent of the model says to it
	Event   claudeEvent
	Message claudeContent
	Error   string // of a message: why it is none of the model's

	IsError bool            `json:"is_error"`
	Subtype string          // of a result
	Result  json.RawMessage // a text, or nothing
	Errors  []string
	USD     float64 `json:"total_cost_usd"`
	Usage   struct {
		Input   int `json:"input_tokens"`
		Written int `json:"cache_creation_input_tokens"`
		Cached  int `json:"cache_read_input_tokens"`
		Output  int `json:"output_tokens"`
	}
}

// A claudeEvent is one of the API's own, of which few are looked at.
type claudeEvent struct {
	Type  string
	Delta struct {
		Type, Text string
		Stop       string `json:"stop_reason"`
	}
}

// A claudeContent is what a message consists of: parts of an answer, results of tools, or one text.
type claudeContent struct{ Content json.RawMessage }

type claudePart struct {
	Type, ID, Name string
	Input          json.RawMessage
	UseID          string `json:"tool_use_id"`
	IsError        bool   `json:"is_error"`
}

func (c claudeContent) parts() []claudePart {
	var parts []claudePart
	_ = json.Unmarshal(c.Content, &parts) // a text has none
	return parts
}

func (r *claudeReader) take(raw []byte) ([]llm.Event, bool) {
	var line claudeLine
	if json.Unmarshal(raw, &line) != nil || line.Type == "" {
		return nil, false
	}
	switch {
	case line.Type == "result":
		return r.result(line), true
	case line.Parent != "":
		return []llm.Event{llm.Thinking{}}, true
	case line.Type == "stream_event":
		return r.event(line.Event), true
	case line.Type == "assistant":
		r.reason = cmp.Or(line.Error, r.reason)
		return r.used(line.Message.parts()), true
	case line.Type == "user":
		return r.returned(line.Message.parts()), true
	}
	return nil, true
}

func (r *claudeReader) event(e claudeEvent) []llm.Event {
	switch {
	case e.Type == "message_start":
		r.gap, r.stop = r.wrote, ""
	case e.Type == "message_delta":
		r.stop = cmp.Or(e.Delta.Stop, r.stop)
	case e.Type == "content_block_delta" && e.Delta.Type == "text_delta" && e.Delta.Text != "":
		text := e.Delta.Text
		if r.gap {
			text = "\n\n" + text
		}
		r.wrote, r.gap = true, false
		return []llm.Event{llm.TextDelta{Text: text}}
	case e.Type == "content_block_delta":
		return []llm.Event{llm.Thinking{}} // or what is written into a tool's input
	}
	return nil
}

func (r *claudeReader) used(parts []claudePart) []llm.Event {
	var events []llm.Event
	for _, p := range parts {
		if p.Type == "tool_use" {
			about := subject(p.Input)
			events = append(events, r.tools.start(p.ID, p.Name, about, claudeOutside(p.Name, about)))
		}
	}
	return events
}

// claudeOutside names what a tool has read. Those that are not known may have read anything.
func claudeOutside(tool, about string) string {
	switch tool {
	case "Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit", "TodoWrite":
		return ""
	case "WebFetch":
		return pageOf(about)
	case "WebSearch":
		return webSearch
	case "Bash", "BashOutput", "Task", "Agent":
		return commandOutput
	}
	return outputOf(tool)
}

func (r *claudeReader) returned(parts []claudePart) []llm.Event {
	var events []llm.Event
	for _, p := range parts {
		if p.Type == "tool_result" {
			events = append(events, r.tools.end(p.UseID, p.IsError)...)
		}
	}
	return events
}

func (r *claudeReader) result(line claudeLine) []llm.Event {
	var text string
	_ = json.Unmarshal(line.Result, &text) // errors have none
	u := line.Usage
	usage := llm.Usage{Input: u.Input + u.Written + u.Cached, Written: u.Written, Cached: u.Cached, Output: u.Output, USD: line.USD}
	events := r.tools.endAll()
	switch {
	case line.IsError || line.Subtype != "success":
		r.fail(r.failure(line.Subtype, append(line.Errors, text)...))
	case r.stop == "max_tokens":
		r.fail(&fault{kind: llm.Cut, told: "stop reason max_tokens"})
	case r.stop == "refusal":
		r.fail(&fault{kind: llm.Blocked, told: "stop reason refusal"})
	default:
		if !r.wrote && text != "" {
			events = append(events, llm.TextDelta{Text: text})
		}
		r.end()
	}
	if usage != (llm.Usage{}) {
		events = append(events, usage)
	}
	return events
}

// failure goes by the reason that the program gave for a message that it wrote itself, unless that is vague.
func (r *claudeReader) failure(subtype string, told ...string) *fault {
	if subtype == "success" { // of the program, in telling that the model had none
		subtype = ""
	}
	why := newFault(append([]string{subtype, r.reason}, told...)...)
	switch r.reason {
	case "authentication_failed":
		why.kind = llm.Unauthorized
	case "billing_error":
		why.kind = llm.NoCredit
	case "rate_limit":
		why.kind = llm.RateLimited
	}
	if strings.HasPrefix(subtype, "error_max") { // turns or money, which people limit in its settings
		why.kind = llm.Cut
	}
	return why
}

func (*claudeReader) rest() string { return "" }

func (*claudeReader) exited(int) *fault { return nil }
