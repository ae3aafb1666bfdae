package worktree_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/worktree"
)

func TestProjectsOfTheFile(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	other := newSample(t).project.Dir
	write(t, s.data, "projects.json", fmt.Sprintf(`{"greeter": {"dir": %q, "verify": "go test ./... && ./lint"}, "b c": {"verify": "make", "dir": %q}}`, s.project.Dir, other))
	list, err := s.trees.Projects(t.Context(), t.TempDir())
	want := worktree.Projects{{Name: "greeter", Dir: s.project.Dir, Verify: "go test ./... && ./lint"}, {Name: "b c", Dir: other, Verify: "make"}}
	if diff := cmp.Diff(want, list); err != nil || diff != "" {
		t.Fatalf("error %v, projects (-want +got):\n%s", err, diff)
	}
	if p, err := list.Find("b c"); err != nil || p != want[1] {
		t.Errorf("found %v, %v", p, err)
	}
	_, err = list.Find("")
	requireError(t, err, "several projects", "greeter, b c")
	_, err = list.Find("d")
	requireError(t, err, `no project "d"`, "greeter, b c", "projects.json")
	if p, err := list[:1].Find(""); err != nil || p != want[0] {
		t.Errorf("without a name: %v, %v", p, err)
	}
	_, err = worktree.Projects{}.Find("")
	requireError(t, chat.ForOperators(err), "no project is set up to run plans in", "git repository", "projects.json")
}

func TestMistakesInTheProjectsFile(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	plain := t.TempDir()
	for _, tt := range []struct{ name, file, says string }{
		{"nothing", ``, "does not have a JSON object"},
		{"a list", `[]`, "does not have a JSON object"},
		{"no project", `{}`, "names no project"},
		{"broken", `{"a": {"dir": "/x"`, `project "a"`},
		{"not closed", fmt.Sprintf(`{"a": {"dir": %q, "verify": "make"}`, s.project.Dir), "is not valid JSON"},
		{"more", fmt.Sprintf(`{"a": {"dir": %q, "verify": "make"}} {}`, s.project.Dir), "something behind"},
		{"unknown field", fmt.Sprintf(`{"a": {"dir": %q, "verify": "make", "branch": "x"}}`, s.project.Dir), `project "a" (unknown field "branch")`},
		{"wrong type", `{"a": {"dir": 5}}`, `has a mistake in project "a"`},
		{"twice", fmt.Sprintf(`{"a": {"dir": %[1]q, "verify": "make"}, "a": {"dir": %[1]q, "verify": "make"}}`, s.project.Dir), `has project "a" twice`},
		{"null", `{"a": null}`, `add "dir"`},
		{"no name", fmt.Sprintf(`{"": {"dir": %q, "verify": "make"}}`, s.project.Dir), "its name has to be"},
		{"a name of two lines", fmt.Sprintf(`{"a\nb": {"dir": %q, "verify": "make"}}`, s.project.Dir), "its name has to be"},
		{"no directory", `{"a": {"verify": "make"}}`, `add "dir"`},
		{"relative", `{"a": {"dir": "src/a", "verify": "make"}}`, `"src/a" is not a full path`},
		{"missing", `{"a": {"dir": "/nowhere/a", "verify": "make"}}`, "/nowhere/a does not exist"},
		{"no repository", fmt.Sprintf(`{"a": {"dir": %q, "verify": "make"}}`, plain), "is not a git repository; run `git init` there"},
		{"no command", fmt.Sprintf(`{"a": {"dir": %q}}`, s.project.Dir), `add "verify"`},
		{"a blank command", fmt.Sprintf(`{"a": {"dir": %q, "verify": " "}}`, s.project.Dir), `add "verify"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, s.data, "projects.json", tt.file)
			list, err := s.trees.Projects(t.Context(), s.project.Dir)
			requireError(t, err, filepath.Join(s.data, "projects.json"), tt.says)
			if list != nil {
				t.Errorf("projects %v in spite of a mistake", list)
			}
		})
	}
	write(t, s.data, "projects.json", `{"a": {"dir": "x"}, "b": {"dir": "y"}}`)
	_, err := s.trees.Projects(t.Context(), "")
	requireError(t, err, `project "a": `, `project "b": `)
}

func TestTheWorkspaceIsTheProjectWithoutAFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verify string
		files  []string
	}{
		{"", nil},
		{"python -m pytest", []string{"pyproject.toml"}},
		{"cargo test", []string{"Cargo.toml", "pyproject.toml"}},
		{"npm test", []string{"Cargo.toml", "package.json", "pyproject.toml"}},
		{"go test ./...", []string{"pyproject.toml", "package.json", "go.mod"}},
	} {
		t.Run(tt.verify, func(t *testing.T) {
			t.Parallel()
			workspace := filepath.Join(t.TempDir(), "workspace")
			for _, name := range append(tt.files, "README") {
				write(t, workspace, name, "")
			}
			trees := open(t, t.TempDir())
			if list, err := trees.Projects(t.Context(), workspace); err != nil || list != nil {
				t.Errorf("without a repository: %v, %v", list, err)
			}
			run(t, workspace, "init", "-q")
			list, err := trees.Projects(t.Context(), workspace)
			if diff := cmp.Diff(worktree.Projects{{Name: "workspace", Dir: workspace, Verify: tt.verify}}, list); err != nil || diff != "" {
				t.Errorf("error %v, projects (-want +got):\n%s", err, diff)
			}
		})
	}
}
