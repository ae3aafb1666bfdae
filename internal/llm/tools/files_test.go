package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/tools"
)

func TestReadFile(t *testing.T) {
	dir := workspace(t, map[string]string{"notes/a.md": "  one\ntwo\nthree\n", "empty": "", "binary": "a\x00b", "latin": "caf\xe9", "big": strings.Repeat("x", 1<<20+1)})
	link(t, "a.md", filepath.Join(dir, "notes/link.md"))
	link(t, filepath.Join(dir, "notes"), filepath.Join(dir, "absolute"))
	for _, tt := range []struct {
		name   string
		input  fields
		failed bool
		want   string
	}{
		{"whole", fields{"file_path": "notes/a.md"}, false, "  one\ntwo\nthree"},
		{"lines", fields{"file_path": "notes/a.md", "offset": 2, "limit": 1}, false, "two\n\n(These are lines 2 to 2 of 3. Read on with offset 3.)"},
		{"behind the end", fields{"file_path": "notes/a.md", "offset": 4}, true, "The file has only 3 lines."},
		{"negative", fields{"file_path": "notes/a.md", "offset": -1}, true, "Offset and limit are counted from 1."},
		{"detour", fields{"file_path": "./notes/../notes//a.md"}, false, "  one"},
		{"absolute path inside", fields{"file_path": filepath.Join(dir, "notes/a.md")}, false, "  one"},
		{"link inside", fields{"file_path": "notes/link.md"}, false, "  one"},
		{"absolute link inside", fields{"file_path": "absolute/a.md"}, false, "  one"},
		{"empty", fields{"file_path": "empty"}, false, "(the file is empty)"},
		{"binary", fields{"file_path": "binary"}, true, "This file is not a text in UTF-8, so it cannot be shown or edited."},
		{"not UTF-8", fields{"file_path": "latin"}, true, "This file is not a text in UTF-8"},
		{"too large", fields{"file_path": "big"}, true, "This file has more than 1024 KiB"},
		{"missing", fields{"file_path": "notes/b.md"}, true, "There is no such file or folder. list_files shows what there is."},
		{"missing folder", fields{"file_path": "b/b.md"}, true, "There is no such file or folder."},
		{"file as folder", fields{"file_path": "notes/a.md/b"}, true, "There is no such file or folder."},
		{"folder", fields{"file_path": "notes"}, true, "This is a folder. list_files shows what is in it."},
		{"no path", fields{}, true, "This is a folder."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wants(t, call(t, tools.Options{Root: dir}, llm.ToolsRead, "read_file", tt.input), tt.failed, tt.want)
		})
	}
}

func TestWriteAndEditFile(t *testing.T) {
	for _, tt := range []struct {
		name, tool string
		input      fields
		failed     bool
		want       string
		file       string // notes/a.md afterwards
	}{
		{"replace", "write_file", fields{"file_path": "notes/a.md", "content": "new"}, false, "Wrote 3 bytes.", "new"},
		{"with nothing", "write_file", fields{"file_path": "notes/a.md", "content": ""}, false, "Wrote 0 bytes.", ""},
		{"no content", "write_file", fields{"file_path": "notes/a.md"}, true, "The content is missing.", "one two two"},
		{"too large", "write_file", fields{"file_path": "notes/a.md", "content": strings.Repeat("x", 1<<20+1)}, true, "This file has more than 1024 KiB", "one two two"},
		{"a folder", "write_file", fields{"file_path": "notes", "content": "new"}, true, "This is a folder. Name a file in it.", "one two two"},
		{"no path", "write_file", fields{"content": "new"}, true, "File_path is missing.", "one two two"},
		{"edit", "edit_file", fields{"file_path": "notes/a.md", "old_string": "one", "new_string": "1"}, false, "Replaced 1 piece in notes/a.md.", "1 two two"},
		{"delete", "edit_file", fields{"file_path": "notes/a.md", "old_string": "one ", "new_string": ""}, false, "Replaced 1 piece in notes/a.md.", "two two"},
		{"edit all", "edit_file", fields{"file_path": "notes/a.md", "old_string": "two", "new_string": "2", "replace_all": true}, false, "Replaced 2 pieces in notes/a.md.", "one 2 2"},
		{"ambiguous", "edit_file", fields{"file_path": "notes/a.md", "old_string": "two", "new_string": "2"}, true, "Old_string was found 2 times.", "one two two"},
		{"not there", "edit_file", fields{"file_path": "notes/a.md", "old_string": "three", "new_string": "3"}, true, "Old_string was not found in the file.", "one two two"},
		{"nothing", "edit_file", fields{"file_path": "notes/a.md", "old_string": "", "new_string": "3"}, true, "Old_string is missing.", "one two two"},
		{"no new one", "edit_file", fields{"file_path": "notes/a.md", "old_string": "one"}, true, "New_string is missing.", "one two two"},
		{"the same", "edit_file", fields{"file_path": "notes/a.md", "old_string": "one", "new_string": "one"}, true, "nothing would change", "one two two"},
		{"grows too much", "edit_file", fields{"file_path": "notes/a.md", "old_string": "one", "new_string": strings.Repeat("x", 1<<20)}, true, "This file has more than", "one two two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := workspace(t, map[string]string{"notes/a.md": "one two two"})
			if err := os.Chmod(filepath.Join(dir, "notes/a.md"), 0o750); err != nil {
				t.Fatal(err)
			}
			wants(t, call(t, tools.Options{Root: dir}, llm.ToolsWrite, tt.tool, tt.input), tt.failed, tt.want)
			data, err := os.ReadFile(filepath.Join(dir, "notes/a.md"))
			if string(data) != tt.file || err != nil {
				t.Errorf("the file is %.100q, %v", data, err)
			}
			if info, err := os.Stat(filepath.Join(dir, "notes/a.md")); err != nil || info.Mode() != 0o750 {
				t.Errorf("its mode became %v, %v", info.Mode(), err)
			}
			if entries, _ := os.ReadDir(filepath.Join(dir, "notes")); len(entries) != 1 {
				t.Errorf("drafts were left: %v", entries)
			}
		})
	}
}

func TestNewFilesGetTheirFolders(t *testing.T) {
	dir := t.TempDir()
	wants(t, call(t, tools.Options{Root: dir}, llm.ToolsWrite, "write_file", fields{"file_path": "a/b/c.txt", "content": "hi"}), false, "Wrote 2 bytes.")
	if data, err := os.ReadFile(filepath.Join(dir, "a/b/c.txt")); string(data) != "hi" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestListFiles(t *testing.T) {
	dir := workspace(t, map[string]string{
		"a.md": "", "b.txt": "", "src/x.ts": "", "src/deep/y.tsx": "", "src/deep/z.go": "", ".github/ci.yml": "", ".gitignore": "",
		"node_modules/m/index.ts": "", ".env": "", "src/key.pem": "", "[odd].md": "", "src/a+b.md": "",
	})
	link(t, "src", filepath.Join(dir, "linked"))
	for _, tt := range []struct {
		name    string
		pattern string
		path    string
		want    string
	}{
		{"top", "*", "", ".gitignore\n[odd].md\na.md\nb.txt\nsrc/"},
		{"by ending", "*.md", "", "[odd].md\na.md"},
		{"everywhere", "**/*.md", "", "[odd].md\na.md\nsrc/a+b.md"},
		{"braces", "src/**/*.{ts,tsx}", "", "src/deep/y.tsx\nsrc/x.ts"},
		{"below", "**", "src/deep", "src/deep/y.tsx\nsrc/deep/z.go"},
		{"class", "[ab].*", "", "a.md\nb.txt"},
		{"range", "[a-b].*", "", "a.md\nb.txt"},
		{"negated class", "[!a].txt", "", "b.txt"},
		{"one sign", "?.md", "", "a.md"},
		{"escaped", `\[odd\].md`, "", "[odd].md"},
		{"literal", "src/a+b.md", "", "src/a+b.md"},
		{"hidden folder by name", ".github/*", "", ".github/ci.yml"},
		{"through a link", "linked/*.ts", "", "src/x.ts"},
		{"absolute folder", "*.ts", filepath.Join(dir, "src"), "src/x.ts"},
		{"nothing", "*.rs", "", "No files match."},
		{"secrets", "**/*.pem", "", "No files match."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, tools.Options{Root: dir}, llm.ToolsWrite, "list_files", fields{"pattern": tt.pattern, "path": tt.path})
			if got.Failed || got.Text != tt.want {
				t.Errorf("%t: %q, want %q", got.Failed, got.Text, tt.want)
			}
		})
	}
	for _, pattern := range []string{"", "/etc/*", "{a", "[z-a]", strings.Repeat("*", 2000)} {
		wants(t, call(t, tools.Options{Root: dir}, llm.ToolsRead, "list_files", fields{"pattern": pattern}), true, "This pattern cannot be read.")
	}
	for _, pattern := range []string{"../*", "src/../../*", "./../*"} {
		wants(t, call(t, tools.Options{Root: dir}, llm.ToolsRead, "list_files", fields{"pattern": pattern}), true, "This path leads out of the workspace.")
	}
}

func TestListsEnd(t *testing.T) {
	dir := t.TempDir()
	for i := range 1001 {
		put(t, filepath.Join(dir, fmt.Sprintf("%04d", i)), "match")
	}
	got := call(t, tools.Options{Root: dir}, llm.ToolsRead, "list_files", fields{"pattern": "*"})
	wants(t, got, false, "0999\n(This is not all: it ends after 1000 names, or 20000 that were looked at. Narrow it down.)")
}

func TestSearchContent(t *testing.T) {
	dir := workspace(t, map[string]string{
		"a.go": "package a\n// TODO: mend\n", "src/b.go": "x\r\ntodo\r\n", "c.md": "TODO " + strings.Repeat("é", 600), "bin": "TODO\x00", ".env": "TODO secret",
		"big": strings.Repeat("TODO\n", 300_000),
	})
	for _, tt := range []struct {
		name  string
		input fields
		want  string
	}{
		{"all", fields{"pattern": "TODO"}, "a.go:2: // TODO: mend\nc.md:1: TODO " + strings.Repeat("é", 495) + "…\n"},
		{"any case", fields{"pattern": "^todo$", "case_insensitive": true}, "src/b.go:2: todo\n"},
		{"glob by name", fields{"pattern": "(?i)todo", "glob": "*.go"}, "a.go:2: // TODO: mend\nsrc/b.go:2: todo\n"},
		{"glob by path", fields{"pattern": "(?i)todo", "glob": "src/*"}, "src/b.go:2: todo\n"},
		{"in a file", fields{"pattern": "package", "path": "a.go"}, "a.go:1: package a\n"},
		{"in a folder", fields{"pattern": ".", "path": "src"}, "src/b.go:1: x\nsrc/b.go:2: todo\n"},
		{"nothing", fields{"pattern": "FIXME"}, "No matches found."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, tools.Options{Root: dir}, llm.ToolsRead, "search_content", tt.input)
			if got.Failed || got.Text != tt.want {
				t.Errorf("%t: %q, want %q", got.Failed, got.Text, tt.want)
			}
		})
	}
	for input, want := range map[string]string{`{"pattern":"(?=a)"}`: "The pattern is not a regular expression in Go's syntax", `{}`: "The pattern is missing", `{"pattern":"a","glob":"{"}`: "This pattern cannot be read", `{"pattern":"a","path":"no"}`: "There is no such file"} {
		wants(t, call(t, tools.Options{Root: dir}, llm.ToolsRead, "search_content", input), true, want)
	}
}

func TestASearchEnds(t *testing.T) {
	dir := workspace(t, map[string]string{"a": strings.Repeat("match me\n", 20_000)})
	got := call(t, tools.Options{Root: dir}, llm.ToolsRead, "search_content", fields{"pattern": "match", "path": "a"})
	wants(t, got, false, "(This is not all: the search was stopped early. Narrow it down with path or glob.)")
	if len(got.Text) > 64<<10 || strings.Contains(got.Text, "left out") {
		t.Errorf("it has %d bytes", len(got.Text))
	}
}
