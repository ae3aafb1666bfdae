package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/test/golden"
)

var dialects = []struct {
	kind    Kind
	dialect dialect
}{{Claude, claude{}}, {Codex, codex{}}, {Gemini, gemini{}}}

// TestTranscripts: what programs say, as their documentation shows it, and what becomes of it.
func TestTranscripts(t *testing.T) {
	for _, d := range dialects {
		files, err := filepath.Glob(filepath.Join("testdata", string(d.kind)+"-*.jsonl"))
		if err != nil || len(files) < 3 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			told := tell(bytes.NewReader(text), d.dialect.listen(llm.Workspace{Level: llm.ToolsShell}))
			golden.Equal(t, strings.TrimSuffix(file, ".jsonl")+".golden", strings.Join(told, "\n")+"\n")
		}
	}
}

// tell returns the events of an output and how it ended.
func tell(out *bytes.Reader, in reader) []string {
	var all []string
	h := follow(out, in, func(e llm.Event, _ error) bool {
		all = append(all, fmt.Sprintf("%#v", e))
		return true
	})
	over, why := in.verdict()
	switch {
	case why != nil:
		all = append(all, fmt.Sprintf("failed: %s: %s", why.kind, why.told))
	case over:
		all = append(all, "whole")
	default:
		all = append(all, "no end")
	}
	if text := in.rest(); text != "" {
		all = append(all, fmt.Sprintf("held back: %q", text))
	}
	if h.err != nil {
		all = append(all, h.err.Error())
	}
	return all
}

// TestCalls shows what programs are called with for every level of tools.
func TestCalls(t *testing.T) {
	var out strings.Builder
	for _, d := range dialects {
		for _, w := range []llm.Workspace{
			{}, {Level: llm.ToolsOff}, {Level: llm.ToolsRead}, {Level: llm.ToolsWrite}, {Level: llm.ToolsShell},
			{Level: llm.ToolsRead, Root: "/project"}, {Level: llm.ToolsWrite, Root: "/project"}, {Level: llm.ToolsShell, Root: "/project"},
		} {
			folder := t.TempDir()
			req := llm.Request{Model: "model-1", Workspace: w, Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}
			c, err := d.dialect.call(Options{MaxUSD: 0.5}, req, folder)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "## %s, level %q%s\n", d.kind, w.Level, map[bool]string{true: " in a project"}[w.Root != ""])
			fmt.Fprintln(&out, strings.Join(c.args, " "))
			for _, v := range c.env {
				fmt.Fprintln(&out, strings.ReplaceAll(v, folder, "FOLDER"))
			}
			if settings, err := os.ReadFile(filepath.Join(folder, "settings.json")); err == nil {
				fmt.Fprintf(&out, "%s\n", settings)
			}
			fmt.Fprintln(&out)
		}
	}
	golden.Equal(t, "testdata/calls.golden", out.String())
}

// TestAModelsNameIsNoOption: people choose it.
func TestAModelsNameIsNoOption(t *testing.T) {
	for _, d := range dialects {
		c, err := d.dialect.call(Options{}, llm.Request{Model: "--dangerously-skip-permissions"}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range c.args {
			if strings.HasPrefix(a, "--dangerously") {
				t.Errorf("%s is called with %q", d.kind, c.args)
			}
		}
	}
}

func TestGeminiIsToldOfPictures(t *testing.T) {
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "What is this?", Images: []llm.Image{{Type: "image/png", Data: []byte("png")}}}}}
	c, err := gemini{}.call(Options{}, req, t.TempDir())
	if err != nil || !strings.Contains(string(c.stdin), "What is this?\n\n"+geminiUnseen) {
		t.Errorf("%s, %v", c.stdin, err)
	}
}

// TestGeminiReadsNoFileThatAMessageNames: it would look for every name with an at sign that has no backslash before it.
func TestGeminiReadsNoFileThatAMessageNames(t *testing.T) {
	req := llm.Request{System: "Mention people as <@1>.", Messages: []llm.Message{{Role: llm.User, Text: `@.env \@.env @@.env`}}}
	c, err := gemini{}.call(Options{}, req, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.stdin)
	for i := range text {
		if text[i] == '@' && text[i-1] != '\\' {
			t.Fatalf("an at sign stands alone in %q", text)
		}
	}
}

// FuzzOutput: whatever a program writes, the reader neither fails nor goes on after the end, tools end that have begun,
// and no text is empty.
func FuzzOutput(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, d := range dialects {
			in := d.dialect.listen(llm.Workspace{})
			begun := map[string]int{}
			count := 0
			follow(bytes.NewReader(text), in, func(e llm.Event, _ error) bool {
				count++
				switch e := e.(type) {
				case llm.ToolStart:
					begun[e.Name]++
				case llm.ToolEnd:
					if begun[e.Name]--; begun[e.Name] < 0 {
						t.Errorf("%s: %s ends without a beginning", d.kind, e.Name)
					}
				case llm.TextDelta:
					if e.Text == "" {
						t.Errorf("%s: a text is empty", d.kind)
					}
				}
				return true
			})
			if over, _ := in.verdict(); !over {
				continue
			}
			again := 0
			more := append(append([]byte{}, text...), "\n{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"more\"}\n{\"type\":\"item.completed\",\"item\":{\"id\":\"z\",\"type\":\"reasoning\"}}\n"...)
			follow(bytes.NewReader(more), d.dialect.listen(llm.Workspace{}), func(llm.Event, error) bool { again++; return true })
			if again != count {
				t.Errorf("%s: %d events come after the end", d.kind, again-count)
			}
		}
	})
}
