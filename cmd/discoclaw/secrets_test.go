//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

// leak is a part of every secret of the test.
const leak = "canary-7f3a"

// prying is what an obedient model is made to look at.
var prying = []llm.ToolCall{
	{ID: "call_1", Name: "bash", Input: []byte(`{"command":"env; set"}`)},
	{ID: "call_2", Name: "read_file", Input: []byte(`{"file_path":".env"}`)},
	{ID: "call_3", Name: "read_file", Input: []byte(`{"file_path":"/proc/self/environ"}`)},
	{ID: "call_4", Name: "search_content", Input: []byte(`{"pattern":"canary"}`)},
}

// TestSecretsStayInTheEnvironment: whatever a model does with its tools, and however it fails, keys are in no log, message,
// prompt, file or stack trace, and a program has its own key alone. That the environment of the bot's own process cannot be read in /proc
// is shown in package tools, since it takes an account other than root.
func TestSecretsStayInTheEnvironment(t *testing.T) {
	t.Parallel()
	child := filepath.Join(t.TempDir(), "child")
	p := start(t, self(t), "LOG_LEVEL=debug", "DISCOCLAW_RUNTIME_TOOLS=shell", "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir(),
		"OPENAI_API_KEY="+leak+"-openai", "ANTHROPIC_API_KEY="+leak+"-anthropic", "GEMINI_API_KEY="+leak+"-gemini", "OPENROUTER_API_KEY="+leak+"-router",
		"DISCOCLAW_STT_API_KEY="+leak+"-stt", "IMAGEGEN_GEMINI_API_KEY="+leak+"-images", "COLD_STORAGE_API_KEY="+leak+"-recall",
		"DISCOCLAW_WEBSEARCH_API_KEY="+leak+"-search", "AWS_SECRET_ACCESS_KEY="+leak+"-other",
		"CLAUDE_BIN="+program(t, "env > "+child+"\necho \"$@\" >> "+child+"\necho '"+claudeEnds+"'\n"))
	p.online(t)
	dir := data(t, p)
	secret := filepath.Join(dir, "workspace", ".env")
	if err := os.WriteFile(secret, []byte("KEY="+leak+"-file"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.model.Queue(func(x *llmtest.Exchange) {
		for _, c := range prying {
			x.Call(c)
		}
		x.Finish("tool_calls")
		x.Usage(llm.Usage{Input: 1, Output: 1})
		x.Done()
	}, llmtest.Text("I saw nothing."))
	p.world.MustSay("ada", "general", "look around")
	p.until(p.concludes("general", "I saw nothing."))
	p.model.Queue(func(x *llmtest.Exchange) {
		x.Write(401, "application/json", `{"error":{"message":"wrong key `+leak+`-openai"}}`)
	})
	p.world.MustSay("ada", "general", "again")
	p.until(p.concludes("general", "did not accept the key"))
	p.world.MustSay("ada", "general", "!models set chat claude:opus")
	p.until(p.concludes("general", "claude:opus"))
	p.world.MustSay("ada", "general", "and now?")
	p.until(p.concludes("general", "On it."))
	p.signal(t, syscall.SIGQUIT) // a stack trace of everything
	_ = p.cmd.Wait()             // says that it was a signal

	for where, text := range map[string]string{"the log": p.errs.String(), "the channel": p.world.Transcript(), "the prompts": prompts(p)} {
		if strings.Contains(text, leak) {
			t.Errorf("%s has a secret:\n%s", where, around(text, leak))
		}
	}
	for _, x := range p.world.Requests() {
		if strings.Contains(string(x.Request), leak) {
			t.Errorf("Discord is told a secret by %s", x.Route)
		}
	}
	if err := os.Remove(secret); err != nil {
		t.Fatal(err)
	}
	requireNoLeak(t, dir)
	text, err := os.ReadFile(child)
	if own := "ANTHROPIC_API_KEY=" + leak + "-anthropic\n"; err != nil || !strings.Contains(string(text), own) || strings.Contains(strings.Replace(string(text), own, "", 1), leak) {
		t.Errorf("the program had %v\n%s", err, text)
	}
}

// prompts are all that the model was told.
func prompts(p *process) string {
	var b strings.Builder
	for _, req := range p.model.Requests() {
		for _, m := range req.Messages {
			b.WriteString(m.Content + "\n")
		}
	}
	return b.String()
}

// around returns the text before and after a word.
func around(text, word string) string {
	at := strings.Index(text, word)
	return text[max(0, at-200):min(len(text), at+100)]
}

// requireNoLeak searches all files of a folder.
func requireNoLeak(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), leak) {
			t.Errorf("%s has a secret: %q", path, around(string(text), leak))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
