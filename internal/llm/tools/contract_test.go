package tools_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"
	"testing/synctest"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/anthropic"
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/openai"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/llm/tools"
)

// key has no shape that Redact recognises.
const key = "correct horse battery staple"

// leveled has tools in every request.
func leveled(r llm.Runtime, root string) llm.Runtime {
	looped := tools.Looped(r, tools.Options{Root: root})
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		req.Workspace.Level = llm.ToolsWrite
		return looped.Invoke(ctx, req)
	})
}

func TestALoopKeepsTheContract(t *testing.T) {
	dir := t.TempDir()
	llmtest.Run(t, func(*testing.T) (llmtest.Vendor, llm.Runtime) {
		l := new(llmtest.Server).Listen()
		return llmtest.OpenAI{Local: l}, leveled(openai.New(openai.Options{Key: key, BaseURL: l.URL, HTTP: l.HTTP}), dir)
	},
		llmtest.Lack{Check: "asks as the API wants to be asked", Why: "tools are added to the request"},
		llmtest.Lack{Check: "offers tools and passes calls on", Why: "calls are run"},
		llmtest.Lack{Check: "passes a malformed call on", Why: "calls are run"},
	)
}

// TestEveryVendorTakesTheLoop has each vendor's server check the conversation: that calls and results are in its order.
func TestEveryVendorTakesTheLoop(t *testing.T) {
	for name, setUp := range map[string]func() (llmtest.Vendor, llm.Runtime){
		"OpenAI": func() (llmtest.Vendor, llm.Runtime) {
			l := new(llmtest.Server).Listen()
			return llmtest.OpenAI{Local: l}, openai.New(openai.Options{Key: key, BaseURL: l.URL, HTTP: l.HTTP})
		},
		"Anthropic": func() (llmtest.Vendor, llm.Runtime) {
			l := new(llmtest.Anthropic).Listen()
			return l, anthropic.New(anthropic.Options{Key: key, BaseURL: l.URL, HTTP: l.HTTP})
		},
		"Gemini": func() (llmtest.Vendor, llm.Runtime) {
			l := new(llmtest.Gemini).Listen()
			return l, gemini.New(gemini.Options{Key: key, BaseURL: l.URL, HTTP: l.HTTP})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := workspace(t, map[string]string{"a.txt": "alpha"})
			synctest.Test(t, func(t *testing.T) {
				vendor, runtime := setUp()
				defer vendor.Close()
				vendor.Next(func(x llmtest.Response) {
					x.Say("Let me see.")
					for _, input := range []string{`{"file_path":"a.txt"}`, `{"file_path":"b.txt"}`} {
						x.Call(llm.ToolCall{Name: "read_file", Input: json.RawMessage(input)})
					}
					x.Done(llm.Usage{Input: 10, Output: 1})
				})
				vendor.Next(func(x llmtest.Response) {
					x.Say("Done.")
					x.Done(llm.Usage{Input: 20, Output: 2})
				})
				var text string
				var usage llm.Usage
				req := llm.Request{Model: "model-1", Messages: []llm.Message{{Role: llm.User, Text: "Read a.txt."}}}
				for event, err := range leveled(runtime, dir).Invoke(t.Context(), req) {
					if err != nil {
						t.Fatal(err)
					}
					switch e := event.(type) {
					case llm.TextDelta:
						text += e.Text
					case llm.Usage:
						usage.Add(e)
					}
				}
				if text != "Let me see.\n\nDone." || usage.Input != 30 || usage.Output != 3 {
					t.Errorf("%q, %+v", text, usage)
				}
				messages := vendor.Asked()[1].Messages
				results := messages[len(messages)-1].Results
				if len(results) != 2 || results[0].Text != "alpha" || results[1].Text == "" {
					t.Errorf("the results are %+v", results)
				}
			})
		})
	}
}
