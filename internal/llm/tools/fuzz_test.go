package tools_test

import (
	"encoding/json"
	"os"
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
	tr := setTrap(f)
	before := tr.snapshot(f)
	f.Fuzz(func(t *testing.T, path, pattern, raw string) {
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
		tr.mend(t, before)
	})
}

// mend takes away what was written, and fails the test for what no tool may change: all but plain files of the workspace.
func (tr trap) mend(t testing.TB, before map[string]string) {
	t.Helper()
	after := tr.snapshot(t)
	for path, text := range before {
		switch name, inside := strings.CutPrefix(path, tr.dir+"/"); {
		case after[path] == text:
		case inside && text == plainFile+"harmless" && !strings.HasPrefix(name, ".git"):
			put(t, path, "harmless")
		default:
			t.Errorf("%s was %q and became %q", path, text, after[path])
		}
	}
	for path := range after {
		if _, known := before[path]; known {
			continue
		}
		name, inside := strings.CutPrefix(path, tr.dir+"/")
		top, _, _ := strings.Cut(name, "/")
		switch top {
		case ".git", ".ssh", ".claude", ".codex", ".gemini", "data":
			inside = false
		}
		if !inside {
			t.Errorf("%q was made", path)
		}
		for dir := path; dir != tr.dir && before[dir] == ""; dir = filepath.Dir(dir) {
			_ = os.Remove(dir) // unless something else is in it
		}
	}
}
