package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/plan/worktree"
)

// TestMain sets variables that would lead git astray, or be a secret told, if they were passed on.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "GIT_EXTERNAL_DIFF": "false",
		"DISCORD_TOKEN": "secret-of-the-bot",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// A sample is a project with a small Go program, and the worktrees of a bot.
type sample struct {
	trees   *worktree.Trees
	data    string // the data directory
	project worktree.Project
}

func newSample(t *testing.T) sample {
	t.Helper()
	s := sample{data: t.TempDir(), project: worktree.Project{Name: "greeter", Dir: t.TempDir(), Verify: "go test ./..."}}
	s.trees = open(t, s.data)
	run(t, s.project.Dir, "init", "-q", "-b", "main")
	for name, text := range map[string]string{
		"go.mod":          "module greeter\n\ngo 1.24\n",
		"greet.go":        "package greeter\n\n// Greet greets.\nfunc Greet() string { return \"hello\" }\n",
		"greet_test.go":   "package greeter\n\nimport \"testing\"\n\nfunc TestGreet(t *testing.T) {\n\tif Greet() != \"hello\" {\n\t\tt.Fatal(\"not hello\")\n\t}\n}\n",
		"docs/usage.md":   "Call Greet.\n",
		".gitignore":      "/cache/\n*.log\n",
		"scripts/tidy.sh": "#!/bin/sh\nexec cat\n",
	} {
		write(t, s.project.Dir, name, text)
	}
	write(t, s.project.Dir, "kept.log", "ignored by its name, and yet a file of the project\n")
	run(t, s.project.Dir, "add", "-f", "kept.log")
	commitAll(t, s.project.Dir, "begin")
	return s
}

func open(t *testing.T, data string) *worktree.Trees {
	t.Helper()
	requireGit(t)
	trees, err := worktree.New(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return trees
}

// open opens the worktree of plan 7, as a process does that has just been started.
func (s sample) open(t *testing.T) *worktree.Tree {
	t.Helper()
	tree, err := open(t, s.data).Open(t.Context(), s.project, 7)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// begin opens the worktree and begins a phase.
func (s sample) begin(t *testing.T) (tree *worktree.Tree, before string) {
	t.Helper()
	tree = s.open(t)
	before, err := tree.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tree, before
}

// admin is where the repository keeps the state of the only worktree.
func (s sample) admin() string { return filepath.Join(s.project.Dir, ".git", "worktrees", "plan-007") }

func requireGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, so what plans do with it is not tried")
	}
}

// run runs git as a person would, and returns what it prints.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	requireGit(t)
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func commitAll(t *testing.T, dir, title string) string {
	t.Helper()
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-q", "-m", title)
	return run(t, dir, "rev-parse", "HEAD")
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path ...string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(path...)); err != nil {
		t.Fatal(err)
	}
}

// read returns a file's text, or why there is none.
func read(path ...string) string {
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func exists(path ...string) bool {
	_, err := os.Lstat(filepath.Join(path...))
	return err == nil
}

// changed returns the changes of a worktree as lines.
func changed(t *testing.T, tree *worktree.Tree, since string) []string {
	t.Helper()
	changes, err := tree.Changed(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range changes {
		line := string(c.Kind) + " " + c.Path
		if c.From != "" {
			line += " from " + c.From
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func requireLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func commit(t *testing.T, tree *worktree.Tree, since, title string) string {
	t.Helper()
	made, err := tree.Commit(t.Context(), since, title)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func reset(t *testing.T, tree *worktree.Tree, to string) {
	t.Helper()
	if err := tree.Reset(t.Context(), to); err != nil {
		t.Fatal(err)
	}
}

// requireError fails unless the error has all of these texts.
func requireError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %q", texts)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}
