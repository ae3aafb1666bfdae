package tools_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/llm/tools"
)

// in is a request whose tools work in a project.
func in(root string, level llm.ToolLevel) llm.Request {
	req := at(level)
	req.Workspace.Root = root
	return req
}

// callIn has one tool called in a project, and returns its result.
func callIn(t testing.TB, o tools.Options, root string, level llm.ToolLevel, name string, input any) llm.ToolResult {
	t.Helper()
	r := loop(t.Context(), o, in(root, level), script.Answer{script.Call("1", name, encode(input))}, script.Say("done"))
	if r.err != nil || len(r.results(0)) != 1 {
		t.Fatalf("%s %v: %v, and %d results", name, input, r.err, len(r.results(0)))
	}
	return r.results(0)[0]
}

// TestAProjectOffersNoPages: what is read there would steer code that is written unattended. What the workspace has, or lacks, does not
// matter.
func TestAProjectOffersNoPages(t *testing.T) {
	reading := []string{"read_file", "list_files", "search_content"}
	writing := append(reading[:3:3], "write_file", "edit_file")
	for level, want := range map[llm.ToolLevel][]string{
		llm.ToolsOff: nil, llm.ToolsRead: reading, llm.ToolsWrite: writing, llm.ToolsShell: append(writing[:5:5], "bash"),
	} {
		for _, o := range []tools.Options{{}, {Root: t.TempDir()}, {Root: filepath.Join(t.TempDir(), "gone")}} {
			r := loop(t.Context(), o, in(t.TempDir(), level), script.Say("hello"))
			var got []string
			for _, tool := range r.asked[0].Tools {
				got = append(got, tool.Name)
			}
			if diff := cmp.Diff(want, got); diff != "" || r.err != nil || r.text != "hello" {
				t.Errorf("%v; tools of %s (-want +got):\n%s", r.err, level, diff)
			}
		}
	}
	wants(t, callIn(t, tools.Options{}, t.TempDir(), llm.ToolsShell, "web_fetch", fields{"url": "https://example.org"}), true, "There is no tool of this name here.")
}

func TestAProjectThatCannotBeOpenedFails(t *testing.T) {
	file := filepath.Join(workspace(t, map[string]string{"file": "x"}), "file")
	for _, root := range []string{filepath.Join(t.TempDir(), "gone"), file} {
		for _, level := range []llm.ToolLevel{llm.ToolsOff, llm.ToolsRead, llm.ToolsWrite, llm.ToolsShell} {
			r := loop(t.Context(), tools.Options{Root: t.TempDir()}, in(root, level), script.Say("I have done it."))
			e, ok := errors.AsType[*llm.Error](r.err)
			if !ok || e.Kind != llm.NoFolder || e.Error() != "the folder of this work cannot be opened; see that it exists, and that the bot may enter it" {
				t.Errorf("%s at level %s: %v", root, level, r.err)
			}
			if len(r.asked) > 0 || len(r.events) > 0 {
				t.Errorf("%s at level %s: the model was asked", root, level)
			}
		}
	}
}

func TestToolsOfAProjectStayInIt(t *testing.T) {
	o := tools.Options{Root: workspace(t, map[string]string{"notes.md": canary})}
	root := workspace(t, map[string]string{"main.go": "package main"})
	link(t, o.Root, filepath.Join(root, "out"))
	for _, path := range []string{"notes.md", filepath.Join(o.Root, "notes.md"), "out/notes.md"} {
		for tool, input := range map[string]fields{
			"read_file":      {"file_path": path},
			"search_content": {"pattern": ".", "path": path},
			"edit_file":      {"file_path": path, "old_string": canary, "new_string": "x"},
		} {
			if got := callIn(t, o, root, llm.ToolsWrite, tool, input); !got.Failed || strings.Contains(got.Text, canary) {
				t.Errorf("%s %s: %q", tool, path, got.Text)
			}
		}
	}
	wants(t, callIn(t, o, root, llm.ToolsWrite, "write_file", fields{"file_path": "new.go", "content": "package main"}), false, "Wrote")
	for name, want := range map[string]bool{filepath.Join(root, "new.go"): true, filepath.Join(o.Root, "new.go"): false} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHiddenFilesOfAProjectAreReadable, since projects say there how they are built and tested; but not its secrets, and nothing of git's.
func TestHiddenFilesOfAProjectAreReadable(t *testing.T) {
	root := workspace(t, map[string]string{
		".github/workflows/ci.yml": "on: push", ".gitignore": "/bin", ".gitattributes": "* text", ".git/HEAD": canary, "sub/.git": canary, "main.go": "package main",
		".env": canary, ".ssh/id_rsa": canary, "server.key": canary, ".github/.env.local": canary, "denied/x": canary, "node_modules/a/x": "x",
	})
	o := tools.Options{Root: t.TempDir(), Deny: []string{filepath.Join(root, "denied"), filepath.Dir(root)}}
	for _, level := range []llm.ToolLevel{llm.ToolsRead, llm.ToolsWrite} {
		wants(t, callIn(t, o, root, level, "read_file", fields{"file_path": ".github/workflows/ci.yml"}), false, "on: push")
		wants(t, callIn(t, o, root, level, "read_file", fields{"file_path": ".gitignore"}), false, "/bin")
		wants(t, callIn(t, o, root, level, "search_content", fields{"pattern": "push", "path": ".github"}), false, "ci.yml")
		for _, path := range []string{".git", ".git/HEAD", "sub/.git", ".env", ".ssh/id_rsa", "server.key", ".github/.env.local", "denied/x"} {
			wants(t, callIn(t, o, root, level, "read_file", fields{"file_path": path}), true, "off limits")
		}
		got := callIn(t, o, root, level, "list_files", fields{"pattern": "**"})
		want := []string{".gitattributes", ".github/", ".gitignore", "main.go", "node_modules/", "sub/"}
		if diff := cmp.Diff(want, strings.Split(got.Text, "\n")); diff != "" {
			t.Errorf("a list at level %s (-want +got):\n%s", level, diff)
		}
	}
}

// gitsNames lead to .git, or would do so in some file system.
var gitsNames = []string{
	".git", "./.git", ".//.git", "a/../.git", ".git/", ".GIT", ".Git", ".gIt", ".git.", ".git ", ".git. .", ".g\u200bit", ".git\u200d", "git~1", "GIT~1", ".git::$INDEX_ALLOCATION", ".git:x",
	"sub/.git", "sub/.GIT", "sub/../.git", "sub/deep/.git", "new/.git", "tolink", "toSub/.git", "inner/../.git", "dirlink/.git", "up/.git",
}

// TestNoToolTouchesGitInAProject, where .git is a folder in a checkout and a file in a worktree: a model could redirect git with it.
func TestNoToolTouchesGitInAProject(t *testing.T) {
	for kind, files := range map[string]map[string]string{
		"a worktree": {".git": canary, "sub/.git": canary, "sub/x": "x", "a/x": "x", "inner/x": "x"},
		"a checkout": {".git/HEAD": canary, ".git/config": canary, "sub/.git/HEAD": canary, "sub/x": "x", "a/x": "x", "inner/x": "x"},
	} {
		t.Run(kind, func(t *testing.T) {
			root := workspace(t, files)
			tr := trap{dir: root}
			for name, target := range map[string]string{
				"tolink": ".git", "toSub": "sub", "dirlink": ".", "up": "a/..", "inner/again": "../.git", "absolute": filepath.Join(root, ".git"), "chain": "tolink",
			} {
				link(t, target, filepath.Join(root, name))
			}
			paths := append(slices.Clone(gitsNames), "inner/again", "absolute", "chain", filepath.Join(root, ".git"), filepath.Join(root, "sub", ".Git"))
			for _, path := range slices.Clone(paths) {
				for _, below := range []string{"HEAD", "config", "new", "hooks/pre-commit", "modules/x"} {
					paths = append(paths, path+"/"+below)
				}
			}
			before := tr.snapshot(t)
			for _, path := range paths {
				for tool, input := range map[string]fields{
					"write_file":     {"file_path": path, "content": "gitdir: elsewhere"},
					"edit_file":      {"file_path": path, "old_string": canary, "new_string": "gitdir: elsewhere"},
					"read_file":      {"file_path": path},
					"search_content": {"pattern": ".", "path": path},
					"list_files":     {"pattern": "**", "path": path},
				} {
					if got := callIn(t, tools.Options{}, root, llm.ToolsWrite, tool, input); !got.Failed || strings.Contains(got.Text, canary) {
						t.Errorf("%s %q: %q", tool, path, got.Text)
					}
				}
			}
			if diff := cmp.Diff(before, tr.snapshot(t)); diff != "" {
				t.Errorf("files were changed (-before +after):\n%s", diff)
			}
			wants(t, callIn(t, tools.Options{}, root, llm.ToolsWrite, "write_file", fields{"file_path": ".git", "content": "x"}), true, "are not written here")
		})
	}
}

func TestFilesForGitAreWrittenInAProject(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{".gitattributes", ".gitignore", ".github/workflows/ci.yml", "git", "x.git", ".gitx"} {
		wants(t, callIn(t, tools.Options{}, root, llm.ToolsWrite, "write_file", fields{"file_path": path, "content": "x"}), false, "Wrote")
	}
}

func TestWorkInAProjectHasMoreRounds(t *testing.T) {
	var answers []script.Answer
	for i := range 110 {
		answers = append(answers, script.Answer{script.Call("1", "list_files", fmt.Sprintf(`{"pattern":"%d"}`, i))})
	}
	r := loop(t.Context(), tools.Options{}, in(t.TempDir(), llm.ToolsRead), answers...)
	requireBroken(t, r.err, "the answer from the model broke off; it used tools 100 times in a row without coming to an answer; ask for less at a time")
	if len(r.asked) != 100 {
		t.Errorf("it was asked %d times", len(r.asked))
	}
	same := script.Answer{script.Call("1", "list_files", `{"pattern":"*"}`)}
	r = loop(t.Context(), tools.Options{}, in(t.TempDir(), llm.ToolsRead), same, same, same, same, same, same)
	requireBroken(t, r.err, "the answer from the model broke off; it called the tool list_files with the same input 5 times in a row; ask in other words")
}

func TestWorkInAProjectHasMoreOutput(t *testing.T) {
	root := workspace(t, map[string]string{"one": strings.Repeat("x", 500_000)})
	var answers []script.Answer
	for i := range 40 {
		answers = append(answers, script.Answer{script.Call("1", "read_file", fmt.Sprintf(`{"file_path":"one","limit":%d}`, i+1))})
	}
	r := loop(t.Context(), tools.Options{}, in(root, llm.ToolsRead), append(answers, script.Say("done"))...)
	total := 0
	for i := range answers {
		total += len(r.results(i)[0].Text)
	}
	if total < 2<<20 || total > 2<<20+40*100 || r.err != nil {
		t.Errorf("all results have %d bytes; %v", total, r.err)
	}
}

// TestSubmodulesAreLeftAlone: git commits nothing of what is written there, so no audit would see it.
func TestSubmodulesAreLeftAlone(t *testing.T) {
	root := workspace(t, map[string]string{
		".gitmodules": "[submodule \"a\"]\n\tpath = vendor/a # theirs\n\turl = ../a\n[submodule \"b\"]\n path=\"b\"\n", "b/x": canary, "vendor/c": "c",
	})
	for _, name := range []string{"vendor/a/x", "vendor/A/x", "b/x", "b/../b/x"} {
		wants(t, callIn(t, tools.Options{}, root, llm.ToolsWrite, "write_file", fields{"file_path": name, "content": "y"}), true, "off limits")
		wants(t, callIn(t, tools.Options{}, root, llm.ToolsWrite, "read_file", fields{"file_path": name}), true, "off limits")
	}
	wants(t, callIn(t, tools.Options{}, root, llm.ToolsWrite, "write_file", fields{"file_path": ".gitmodules", "content": ""}), true, "are not written here")
	wants(t, callIn(t, tools.Options{}, root, llm.ToolsWrite, "read_file", fields{"file_path": "vendor/c"}), false, "c")
}
