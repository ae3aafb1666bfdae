package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"discoclaw/internal/plan/plantest"
)

// requireTools skips a scene with a project where one cannot be made or tested.
func requireTools(t *testing.T) {
	t.Helper()
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed, so scenes with a project are not played", program)
		}
	}
}

// A project is a real repository that plans change. The methods of a nil one are those of a scene without a project.
type project struct {
	dir    string
	data   string // the data directory
	before string // what the checkout of people was like after they last changed it
}

// startProject makes a repository of the scene's files, and the only project of the bot.
func (st *stage) startProject(name, verify string) error {
	if len(st.sources) == 0 {
		return errors.New(`a project needs its files in sections such as "repo main.go"`)
	}
	p := &project{dir: st.t.TempDir(), data: st.settings["DISCOCLAW_DATA_DIR"]}
	for name, text := range st.sources {
		if err := writeIn(p.dir, name, text); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"commit", "--quiet", "--message=Begin"}} {
		if _, err := p.git(args...); err != nil {
			return err
		}
	}
	var err error
	if p.before, err = p.state(); err != nil {
		return err
	}
	st.project = p
	if err := shareBuilds(p.data); err != nil {
		return err
	}
	list, err := json.Marshal(map[string]any{name: map[string]string{"dir": p.dir, "verify": verify}})
	if err != nil {
		return err
	}
	return st.write("projects.json", string(list))
}

// shareBuilds has the project's command use what was compiled before: in the home that it gets it would find nothing, and compile Go's
// own packages first.
func shareBuilds(data string) error {
	home := filepath.Join(data, "verify-home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	cache, err := exec.CommandContext(context.Background(), "go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), "go", "env", "-w", "GOTOOLCHAIN=local", "GOCACHE="+strings.TrimSpace(string(cache)))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func writeIn(dir, name, text string) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// write writes a file of the checkout as a person would, who may commit it, too.
func (p *project) write(name, text string, commit bool) error {
	if p == nil {
		return errors.New("there is no project yet")
	}
	err := writeIn(p.dir, name, text)
	if err == nil && commit {
		_, err = p.git("commit", "--quiet", "--all", "--message=Change "+name)
	}
	if err == nil {
		p.before, err = p.state()
	}
	return err
}

// git runs git as a person would, always at the same time.
func (p *project) git(args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_OPTIONAL_LOCKS=0"}
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		cmd.Env = append(cmd.Env, "GIT_"+role+"_NAME=Ada", "GIT_"+role+"_EMAIL=ada@example.org", "GIT_"+role+"_DATE=2000-01-01T00:00:00Z")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// state is what belongs to people: HEAD and its branch, the stash, the index, and the files.
func (p *project) state() (string, error) {
	var parts []string
	for _, args := range [][]string{
		{"symbolic-ref", "HEAD"}, {"show-ref", "HEAD", "main"}, {"stash", "list"}, {"ls-files", "--stage"}, {"status", "--porcelain=v2", "--untracked-files=all"}, {"diff"},
	} {
		out, err := p.git(args...)
		if err != nil {
			return "", err
		}
		parts = append(parts, out)
	}
	return strings.Join(parts, "\n"), nil
}

// commits are the branches of plans, with what their commits change.
func (p *project) commits(t *testing.T) string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	must := func(args ...string) string {
		out, err := p.git(args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for branch := range strings.Lines(must("for-each-ref", "--format=%(refname:short)", "refs/heads/discoclaw/")) {
		branch = strings.TrimSpace(branch)
		fmt.Fprintln(&b, branch)
		for line := range strings.Lines(must("log", "--reverse", "--format=%s", "--name-status", "main.."+branch)) {
			if line = strings.TrimSpace(line); line != "" {
				fmt.Fprintln(&b, "  "+strings.ReplaceAll(line, "\t", " "))
			}
		}
	}
	after, err := p.state()
	switch {
	case err != nil:
		t.Fatal(err)
	case after == p.before:
		fmt.Fprintln(&b, "the checkout is as it was")
	default:
		fmt.Fprintf(&b, "the checkout was\n%s\nand is\n%s\n", p.before, after)
	}
	return b.String()
}

var (
	// commitHash differs with the time at which git runs.
	commitHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`[0-9a-f]{7,12}`") })
	// testTime is how long the tests of a package took.
	testTime = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(^\s*(?:ok|FAIL|---).*[\t(])(?:\d+\.\d+s|cached)`)
	})
)

// readable puts words in place of what differs from one time to the next.
func (p *project) readable(text string) string {
	if p == nil {
		return text
	}
	text = strings.NewReplacer(p.dir, "(the checkout)", p.data, "(data)").Replace(text)
	text = strings.ReplaceAll(text, plantest.WithWord("{word}", text), "{word}")
	text = testTime().ReplaceAllString(text, "$1…")
	return commitHash().ReplaceAllString(text, "`(hash)`")
}

// plans are the files of plans, whole.
func (st *stage) plans() string {
	files, err := filepath.Glob(filepath.Join(st.settings["DISCOCLAW_DATA_DIR"], "workspace", "plans", "*.md"))
	if err != nil {
		st.t.Fatal(err)
	}
	slices.Sort(files)
	var b strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			st.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s:\n  %s\n", filepath.Base(file), indent(strings.TrimSpace(string(text))))
	}
	return b.String()
}
