package anthropic

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// maxTokens is the limit of answers to requests without one: the API always wants it.
const maxTokens = 8192

// request builds a request. The API caches what stands before a breakpoint, in the order tools, system, messages;
// it has room for four. One is behind the tools, one or two are in the system text, and one is behind the latest
// results of tools, so that each round of a loop pays only for what is new in it.
func request(req llm.Request) api.MessageNewParams {
	params := api.MessageNewParams{
		Model:     api.Model(req.Model),
		MaxTokens: int64(min(cmp.Or(req.MaxOutput, maxTokens), maxTokens)),
		System:    system(req),
		Tools:     tools(req.Tools),
		Messages:  []api.MessageParam{}, // the API wants a list, even of nothing
	}
	for _, m := range req.Messages {
		// The API refuses a message without content, and with it the whole request.
		if content := content(m); len(content) > 0 {
			params.Messages = append(params.Messages, api.MessageParam{Role: api.MessageParamRole(m.Role), Content: content})
		}
	}
	if n := len(params.Messages); n > 0 {
		content := params.Messages[n-1].Content
		if result := content[len(content)-1].OfToolResult; result != nil {
			result.CacheControl = breakpoint()
		}
	}
	return params
}

func breakpoint() api.CacheControlEphemeralParam { return api.NewCacheControlEphemeralParam() }

// system returns the system text with a breakpoint at its end, and one before that where the part ends that all
// conversations share.
func system(req llm.Request) []api.TextBlockParam {
	var blocks []api.TextBlockParam
	border := min(max(req.Stable, 0), len(req.System))
	for _, part := range []string{req.System[:border], req.System[border:]} {
		if strings.TrimSpace(part) != "" {
			blocks = append(blocks, api.TextBlockParam{Text: part, CacheControl: breakpoint()})
		}
	}
	return blocks
}

func tools(all []llm.Tool) []api.ToolUnionParam {
	var out []api.ToolUnionParam
	for _, t := range all {
		tool := &api.ToolParam{Name: t.Name, InputSchema: param.Override[api.ToolInputSchemaParam](t.Schema)}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		out = append(out, api.ToolUnionParam{OfTool: tool})
	}
	if len(out) > 0 {
		out[len(out)-1].OfTool.CacheControl = breakpoint()
	}
	return out
}

// content returns a message in blocks. Files come first, since the text is about them, and inside the request: a link
// to Discord would give the attachment away.
func content(m llm.Message) []api.ContentBlockParamUnion {
	var blocks []api.ContentBlockParamUnion
	for _, r := range m.Results {
		blocks = append(blocks, result(r))
	}
	for _, image := range m.Images {
		blocks = append(blocks, api.NewImageBlockBase64(image.Type, base64.StdEncoding.EncodeToString(image.Data)))
	}
	for _, d := range m.Documents {
		blocks = append(blocks, document(d))
	}
	if len(m.Calls) > 0 {
		blocks = append(blocks, unsealed(m.Calls[0].Seal)...)
	}
	if strings.TrimSpace(m.Text) != "" { // the API refuses blank texts
		blocks = append(blocks, api.NewTextBlock(m.Text))
	}
	for _, c := range m.Calls {
		blocks = append(blocks, api.NewToolUseBlock(c.ID, transport.Object(c.Input), c.Name))
	}
	return blocks
}

func document(d llm.Document) api.ContentBlockParamUnion {
	block := api.NewDocumentBlock(api.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString(d.Data)})
	if d.Name != "" {
		block.OfDocument.Title = param.NewOpt(d.Name)
	}
	return block
}

func result(r llm.ToolResult) api.ContentBlockParamUnion {
	return api.NewToolResultBlock(r.ID, cmp.Or(r.Text, "(nothing)"), r.Failed)
}

// unsealed returns the thoughts that came before a call. The API wants them back as they were.
func unsealed(seal []byte) []api.ContentBlockParamUnion {
	var raw []json.RawMessage
	if json.Unmarshal(seal, &raw) != nil {
		return nil
	}
	var blocks []api.ContentBlockParamUnion
	for _, r := range raw {
		blocks = append(blocks, param.Override[api.ContentBlockParamUnion](r))
	}
	return blocks
}
