package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"discoclaw/internal/llm"
)

// A tool is one that models may call.
type tool struct {
	llm.Tool
	level   llm.ToolLevel // from which on it is offered
	changes bool          // it runs alone, after the calls before it
	decode  func(json.RawMessage) (input, error)
	server  string // that runs it; empty for ours
}

// An input is what a model wrote for a call, as a struct of its tool. Errors of run are sentences for the model.
type input interface {
	about() string
	run(ctx context.Context, s *session) (result, error)
}

// A result is what a tool returns.
type result struct {
	text   string
	failed bool
	// outside names the outside text that is in it, as in llm.ToolEnd.
	outside string
	// said is the part of it in which addresses count as said by other people than the model.
	said string
}

// offer returns the tools of a level.
func offer(level llm.ToolLevel) []tool {
	var list []tool
	for _, t := range table {
		if level.Allows(t.level) {
			list = append(list, t)
		}
	}
	return list
}

// fetching is the name of the tool for pages of the web.
const fetching = "web_fetch"

var table = []tool{
	{define("read_file", "Read a text file of the workspace.", `
		"file_path": {"type": "string"},
		"offset": {"type": "integer", "minimum": 1, "description": "First line, from 1"},
		"limit": {"type": "integer", "minimum": 1, "description": "Number of lines"}`, "file_path"),
		llm.ToolsRead, false, decode[readFile], ""},
	{define("list_files", "List files of the workspace.", `
		"pattern": {"type": "string", "description": "Such as *.md or src/**/*.{ts,tsx}"},
		"path": {"type": "string", "description": "Folder to look in"}`, "pattern"),
		llm.ToolsRead, false, decode[listFiles], ""},
	{define("search_content", "Search text files of the workspace for lines.", `
		"pattern": {"type": "string", "description": "Regular expression (RE2)"},
		"path": {"type": "string", "description": "File or folder to look in"},
		"glob": {"type": "string", "description": "Only files such as *.go"},
		"case_insensitive": {"type": "boolean"}`, "pattern"),
		llm.ToolsRead, false, decode[searchContent], ""},
	{define(fetching, "Fetch a public page of the web as text.", `
		"url": {"type": "string", "description": "Begins with https://"}`, "url"),
		llm.ToolsRead, false, decode[webFetch], ""},
	{define("write_file", "Create or replace a text file of the workspace, with its folders.", `
		"file_path": {"type": "string", "description": "Path inside the workspace."},
		"content": {"type": "string", "description": "The whole text of the file."}`, "file_path", "content"),
		llm.ToolsWrite, true, decode[writeFile], ""},
	{define("edit_file", "Replace a piece of a text file of the workspace. The piece must stand there exactly once, unless replace_all is true.", `
		"file_path": {"type": "string", "description": "Path inside the workspace."},
		"old_string": {"type": "string", "description": "The piece as it stands in the file, with spaces and line breaks."},
		"new_string": {"type": "string", "description": "What to put in its place."},
		"replace_all": {"type": "boolean"}`, "file_path", "old_string", "new_string"),
		llm.ToolsWrite, true, decode[editFile], ""},
	{define("bash", "Run a command in a shell, in the workspace's folder. It gets no input, and what it leaves running is ended with it.", `
		"command": {"type": "string"},
		"timeout": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "Milliseconds; 30000 without it."}`, "command"),
		llm.ToolsShell, true, decode[bash], ""},
}

// define describes a tool. Properties are those of its input's JSON Schema.
func define(name, description, properties string, required ...string) llm.Tool {
	names, _ := json.Marshal(required) // texts always can be encoded
	var schema bytes.Buffer
	text := `{"type":"object","properties":{` + properties + `},"required":` + string(names) + `,"additionalProperties":false}`
	if err := json.Compact(&schema, []byte(text)); err != nil {
		panic(fmt.Sprintf("the schema of %s: %v", name, err))
	}
	return llm.Tool{Name: name, Description: description, Schema: schema.Bytes()}
}

// decode reads an input strictly: a field that no tool has may be a misspelled one that matters.
func decode[T input](raw json.RawMessage) (input, error) {
	var in T
	reader := json.NewDecoder(bytes.NewReader(raw))
	reader.DisallowUnknownFields()
	err := reader.Decode(&in)
	if err == nil {
		if _, more := reader.Token(); more != io.EOF {
			err = errors.New("there is text after the object")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the input does not fit the tool's schema (%s). Call it again with a JSON object that does", strings.TrimPrefix(err.Error(), "json: "))
	}
	return in, nil
}
