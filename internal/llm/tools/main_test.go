package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/llm/tools"
)

func TestMain(m *testing.M) {
	if os.Getenv(asBot) != "" {
		actAsBot()
		return
	}
	goleak.VerifyTestMain(m)
}

// A run is what came of an invocation.
type run struct {
	events []llm.Event
	text   string
	err    error
	asked  []llm.Request
}

// loop lets a scripted model work in a workspace.
func loop(ctx context.Context, o tools.Options, req llm.Request, answers ...script.Answer) run {
	model := script.New(answers...)
	var r run
	for event, err := range tools.Looped(model, o).Invoke(ctx, req) {
		if err != nil {
			r.err = err
			break
		}
		if t, ok := event.(llm.TextDelta); ok {
			r.text += t.Text
		}
		r.events = append(r.events, event)
	}
	r.asked = model.Requests()
	return r
}

// results are those of the call or calls of round n, counted from 0.
func (r run) results(n int) []llm.ToolResult {
	if n+1 >= len(r.asked) {
		return nil
	}
	messages := r.asked[n+1].Messages
	return messages[len(messages)-1].Results
}

func at(level llm.ToolLevel) llm.Request {
	return llm.Request{Workspace: llm.Workspace{Level: level}, Messages: []llm.Message{{Role: llm.User, Text: "Please help."}}}
}

// call has one tool called, and returns its result.
func call(t testing.TB, o tools.Options, level llm.ToolLevel, name string, input any) llm.ToolResult {
	t.Helper()
	r := loop(t.Context(), o, at(level), script.Answer{script.Call("1", name, encode(input))}, script.Say("done"))
	if r.err != nil || len(r.results(0)) != 1 {
		t.Fatalf("%s %v: %v, and %d results", name, input, r.err, len(r.results(0)))
	}
	return r.results(0)[0]
}

func encode(input any) string {
	if text, ok := input.(string); ok {
		return text
	}
	text, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return string(text)
}

type fields map[string]any

// workspace is a folder with files, by their paths.
func workspace(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func wants(t *testing.T, got llm.ToolResult, failed bool, text string) {
	t.Helper()
	if got.Failed != failed || !strings.Contains(got.Text, text) {
		t.Errorf("failed = %t: %q; want %t: %q", got.Failed, got.Text, failed, text)
	}
}
