package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// An External tool is one that another program runs, such as an MCP server. Its results are outside text.
type External struct {
	llm.Tool
	Server string // the name of that program
	// Call returns what the tool says, and whether it says that it has failed. An error is a sentence of ours for the model.
	Call func(ctx context.Context, input json.RawMessage) (text string, failed bool, err error)
}

// maxTools is how many tools a request may have. OpenAI refuses one with more.
const maxTools = 128

// withMore adds the external tools of a request, unless others have their names, as far as there is room.
func (l *looped) withMore(ctx context.Context, offered []tool, req llm.Request) []tool {
	if l.More == nil || req.Workspace.Root != "" || req.Workspace.Tainted {
		return offered
	}
	for _, e := range l.More(ctx, req) {
		taken := slices.ContainsFunc(table, func(t tool) bool { return t.Name == e.Name }) ||
			slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == e.Name })
		if !taken && len(offered)+len(req.Tools) < maxTools {
			offered = append(offered, tool{Tool: e.Tool, level: llm.ToolsRead, changes: true, decode: e.decode, server: e.Server})
		}
	}
	return offered
}

func (e External) decode(raw json.RawMessage) (input, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, errors.New("the input does not fit the tool's schema. Call it again with a JSON object that does")
	}
	return externalCall{e, raw}, nil
}

type externalCall struct {
	External
	input json.RawMessage
}

func (c externalCall) about() string { return "" } // its input may be anything, secrets too

func (c externalCall) run(ctx context.Context, _ *session) (result, error) {
	text, failed, err := c.Call(ctx, c.input)
	if err != nil {
		return result{}, err
	}
	r := quoted("a result of the MCP server ", c.Server, chat.Clip(legible(text), maxPageText))
	r.failed = failed
	return r, nil
}
