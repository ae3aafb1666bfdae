package tools_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// FuzzPaths has every file tool called with whatever paths, patterns and inputs: nothing of outside or of denied files is in a
// result, and no such file changes.
func FuzzPaths(f *testing.F) {
	for _, path := range escapes {
		f.Add(path, "**", "")
	}
	for _, pattern := range []string{"../*", "{..,a}/*", "[.][.]/*", "**/../**", "out/*", ".env*", "*.pem", "src/far/*", "root/etc/passwd"} {
		f.Add("src", pattern, "")
	}
	f.Add("", "", `{"file_path":"\u002e./outside/secret.txt"}`)
	f.Add("", "", `{"file_path":"a.txt","file_path":"out.txt","pattern":"."}`)
	f.Fuzz(func(t *testing.T, path, pattern, raw string) {
		tr := setTrap(t)
		before := tr.guarded(t)
		inputs := map[string]fields{
			"read_file": {"file_path": path}, "write_file": {"file_path": path, "content": "overwritten"},
			"edit_file":      {"file_path": path, "old_string": canary[:6], "new_string": "overwritten"},
			"list_files":     {"pattern": pattern, "path": path},
			"search_content": {"pattern": ".", "path": path, "glob": pattern},
		}
		answer := script.Answer{}
		for _, name := range []string{"read_file", "search_content", "list_files", "edit_file", "write_file", "search_content"} {
			answer = append(answer, script.Call("1", name, encode(inputs[name])), script.Call("2", name, encode(fields{"file_path": pattern, "content": path})))
			if json.Valid([]byte(raw)) {
				answer = append(answer, script.Call("3", name, raw))
			}
		}
		answer = append(answer, script.Call("4", "list_files", `{"pattern":"**"}`), script.Call("5", "search_content", `{"pattern":"."}`))
		r := loop(t.Context(), tr.Options, at(llm.ToolsWrite), answer, script.Say("done"))
		if r.err != nil {
			t.Fatal(r.err)
		}
		for _, result := range r.results(0) {
			if strings.Contains(result.Text, canary) || strings.Contains(result.Text, "root:x") {
				t.Errorf("%s shows what it must not: %q", result.Name, result.Text)
			}
		}
		if after := tr.guarded(t); after != before {
			t.Errorf("files were changed:\n%s\nbefore:\n%s", after, before)
		}
	})
}

// guarded is the part of a snapshot that no tool may change: all but plain files and folders of the workspace.
func (tr trap) guarded(t testing.TB) string {
	t.Helper()
	var kept []string
	for line := range strings.Lines(tr.snapshot(t)) {
		inside := strings.HasPrefix(line, tr.dir+string(filepath.Separator))
		if !inside || strings.Contains(line, canary) || strings.Contains(line, " -> ") || strings.Contains(line, ".git") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
