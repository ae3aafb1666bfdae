package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/plantest"
	"discoclaw/internal/plan/runner"
	"discoclaw/internal/plan/worktree"
)

// planText has two phases that implement something, and an audit.
const planText = `# Plan: Greet by name

**ID:** plan-007
**Status:** APPROVED
**Project:** greeter

---

## Objective

Greet people by their names.

## Scope

The package greeter and its manual.

## Changes

[{"title": "Change greet.go", "files": ["greet.go"], "change": "Greet takes a name, and returns hello and the name."},
 {"title": "Change docs/usage.md", "files": ["docs/usage.md"], "change": "Say that Greet takes a name."}]

## Risks

Callers have to be changed.

## Testing

The tests of the package.
`

// check is a command that a broken project does not pass. It is quick, and prints where it is broken.
const check = "! grep -rn BROKEN --include=*.go --include=*.md ."

const (
	named = "package greeter\n\n// Greet greets a person.\nfunc Greet(name string) string { return \"hello, \" + name }\n"
	usage = "Call Greet with a name.\n"
)

// A sample is a project with a small Go program, in which people have unfinished work, and the worktrees of a bot.
type sample struct {
	data    string
	project worktree.Project
	before  map[string]string // the checkout in which people work
	store   *store
	model   *model
	events  []string
	kept    string // of the last phase that began
	options runner.Options
}

func newSample(t *testing.T) *sample {
	t.Helper()
	s := &sample{data: t.TempDir(), project: worktree.Project{Name: "greeter", Dir: t.TempDir(), Verify: check}}
	git(t, s.project.Dir, "init", "-q", "-b", "main")
	for name, text := range map[string]string{
		"go.mod":        "module greeter\n\ngo 1.24\n",
		"greet.go":      "package greeter\n\n// Greet greets.\nfunc Greet() string { return \"hello\" }\n",
		"greet_test.go": "package greeter\n\nimport \"testing\"\n\nfunc TestGreet(t *testing.T) {\n\tif Greet() != \"hello\" {\n\t\tt.Fatal(\"not hello\")\n\t}\n}\n",
		"docs/usage.md": "Call Greet.\n",
		".gitignore":    "*.log\n",
	} {
		write(t, s.project.Dir, name, text)
	}
	git(t, s.project.Dir, "add", "-A")
	git(t, s.project.Dir, "commit", "-q", "-m", "begin")
	write(t, s.project.Dir, "docs/usage.md", "Call Greet. BROKEN, and staged.\n")
	git(t, s.project.Dir, "add", "docs/usage.md")
	write(t, s.project.Dir, "greet.go", "BROKEN, and not staged\n")
	write(t, s.project.Dir, "notes.txt", "not known to git\n")
	s.before = checkout(t, s.project.Dir)
	t.Cleanup(func() {
		if diff := cmp.Diff(s.before, checkout(t, s.project.Dir)); diff != "" {
			t.Errorf("the checkout in which people work has changed:\n%s", diff)
		}
	})
	s.store = newStore(t, planText)
	s.model = &model{do: map[string][]func(string) (string, error){
		"phase-1 implement": {edit("greet.go", named)},
		"phase-2 implement": {edit("docs/usage.md", usage)},
		"phase-3 audit":     {say(clean)},
	}}
	return s
}

// clean and objecting are reports of audits.
const clean = plantest.Clean

func objecting(title string) string {
	return fmt.Sprintf(`{"word": "{word}", "severity": "blocking", "concerns": [{"title": %q, "severity": "blocking", "why": "It is in greet.go."}]}`, title)
}

// checkout returns everything in a checkout, and what git knows about it, except what belongs to worktrees of plans.
func checkout(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{"stash": git(t, dir, "stash", "list"), "branches": git(t, dir, "branch", "--list", "--format=%(refname) %(objectname)", "main*")}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case slices.Contains([]string{".git/objects", ".git/worktrees", ".git/refs/heads/discoclaw", ".git/logs/refs/heads/discoclaw"}, name):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			files[name] = read(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, so what plans do with it is not tried")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_OPTIONAL_LOCKS=0",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := put(dir, name, text); err != nil {
		t.Fatal(err)
	}
}

func put(dir, name, text string) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// read returns a file's text, or why there is none.
func read(path ...string) string {
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// tree is where the phases work.
func (s *sample) tree() string { return filepath.Join(s.data, "worktrees", "plan-007") }

// run runs the plan as a process does that was just started.
func (s *sample) run(t *testing.T, ctx context.Context, j runner.Job) (runner.Outcome, error) {
	t.Helper()
	return s.runWith(t, ctx, j, s.store)
}

func (s *sample) runWith(t *testing.T, ctx context.Context, j runner.Job, kept runner.Store) (runner.Outcome, error) {
	t.Helper()
	o := s.options
	if o.Ask == nil {
		o.Ask = s.model.answer
	}
	var err error
	if o.Trees, err = worktree.New(s.data, nil); err != nil {
		t.Fatal(err)
	}
	j.Project, j.Plan = s.project, "plan-007"
	s.events = nil
	return runner.New(o).Run(ctx, j, kept, func(e runner.Event) {
		s.events = append(s.events, told(e))
		if began, ok := e.(runner.PhaseBegan); ok {
			s.kept = began.Kept
		}
	})
}

// ends runs the plan, and fails unless it ends in a certain way.
func (s *sample) ends(t *testing.T, j runner.Job, want runner.Kind) runner.Outcome {
	t.Helper()
	got, err := s.run(t, t.Context(), j)
	if err != nil || got.Kind != want {
		t.Fatalf("the run ended with %+v, %v; want %q", got, err, want)
	}
	return got
}

var (
	took   = regexp.MustCompile(`(in|after) [0-9.]+m?s`)
	commit = regexp.MustCompile(`\b[0-9a-f]{12}\b`)
)

// told is an event in a line, without times and hashes.
func told(e runner.Event) string {
	line := fmt.Sprintf("%T %+v", e, e)
	switch e := e.(type) {
	case runner.PhaseBegan:
		line = fmt.Sprintf("%s began (%d of %d) %s", e.Phase.ID, e.N, e.Of, e.Kept)
	case runner.PhaseEnded:
		line = fmt.Sprintf("%s is %s: %s | %s | %s | %s", e.Phase.ID, e.Phase.Status, strings.Join(e.Phase.ModifiedFiles, " "), e.Verified, e.Phase.GitCommit, strings.ReplaceAll(e.Err, "\n", " / "))
	}
	return strings.TrimSpace(took.ReplaceAllString(commit.ReplaceAllString(line, "HASH"), "$1 TIME"))
}

// levels are what the model's tools could do, by question.
func (s *sample) levels() (list []llm.ToolLevel) {
	for _, q := range s.model.questions {
		list = append(list, q.Level)
	}
	return list
}

// commits are the titles of the plan's branch, the oldest first.
func (s *sample) commits(t *testing.T) []string {
	t.Helper()
	log := git(t, s.project.Dir, "log", "--reverse", "--format=%s", "main..discoclaw/plan-7")
	if log == "" {
		return nil
	}
	return strings.Split(log, "\n")
}

// show returns a file of the plan's branch.
func (s *sample) show(t *testing.T, name string) string {
	t.Helper()
	return git(t, s.project.Dir, "show", "discoclaw/plan-7:"+name)
}

func require(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// errKilled is what a process would read if it were still there.
var errKilled = errors.New("killed")

// A store keeps a plan as text and its phases as JSON. It can be the last thing that a process does.
type store struct {
	plan   string
	record []byte
	saves  int

	killAt int  // the save after which nothing more is read or written; 0 for none
	lost   bool // that save is not written, either
	kill   context.CancelFunc
	dead   bool
	before func(r phases.Record) // called before each save
	after  func(r phases.Record) // called after each save
}

func newStore(t *testing.T, text string) *store {
	t.Helper()
	s := &store{plan: text}
	d, err := doc.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	list, err := phases.Decompose(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.put(t, phases.Record{Plan: d.ID, File: "plans/plan-007.md", Hash: d.Hash(), Phases: list})
	return s
}

func (s *store) put(t *testing.T, r phases.Record) {
	t.Helper()
	var err error
	if s.record, err = r.Encode(); err != nil {
		t.Fatal(err)
	}
}

func (s *store) Load(ctx context.Context) (doc.Doc, phases.Record, error) {
	if s.dead {
		return doc.Doc{}, phases.Record{}, errKilled
	}
	d, err := doc.Parse(s.plan)
	if err != nil {
		return d, phases.Record{}, err
	}
	r, err := phases.Decode(s.record)
	return d, r, errors.Join(err, ctx.Err())
}

func (s *store) Save(ctx context.Context, r phases.Record) error {
	if s.before != nil {
		s.before(r)
	}
	if s.dead || ctx.Err() != nil {
		return errKilled
	}
	s.saves++
	if s.saves == s.killAt {
		s.dead = true
		s.kill()
		if s.lost {
			return errKilled
		}
	}
	data, err := r.Encode()
	if err != nil {
		return err
	}
	s.record = data
	if s.after != nil {
		s.after(r)
	}
	return nil
}

// phases returns what is stored.
func (s *store) phases(t *testing.T) []phases.Phase {
	t.Helper()
	r, err := phases.Decode(s.record)
	if err != nil {
		t.Fatal(err)
	}
	return r.Phases
}

func (s *store) statuses(t *testing.T) (list []phases.Status) {
	t.Helper()
	for _, p := range s.phases(t) {
		list = append(list, p.Status)
	}
	return list
}

// change edits one of the stored phases.
func (s *store) change(t *testing.T, index int, edit func(*phases.Phase)) {
	t.Helper()
	r, err := phases.Decode(s.record)
	if err != nil {
		t.Fatal(err)
	}
	edit(&r.Phases[index])
	s.put(t, r)
}

// leaky is a store that checks nothing, and whose first phase has a certain file.
type leaky struct {
	*store
	file string
}

func (l leaky) Load(ctx context.Context) (doc.Doc, phases.Record, error) {
	d, r, err := l.store.Load(ctx)
	r.Phases[0].ContextFiles = []string{l.file}
	return d, r, err
}

func (l leaky) Save(context.Context, phases.Record) error { return nil }

// A model does what it was told to do for each kind of question, and really changes files.
type model struct {
	do map[string][]func(folder string) (string, error) // by what is asked for; the last one is repeated

	mu        sync.Mutex
	asked     []string
	questions []ask.Question
}

var phaseOf = regexp.MustCompile(`(?m)^plan-007, .*, phase (\d+) of `)

// kinds tell the questions apart.
var kinds = []struct{ mark, kind string }{
	{"The bot has run the project's check on that", "mend"}, {"mend what the audit objects to", "fix"}, {"Judge whether", "audit"},
	{"Your answer is all that the next phase gets", "read"}, {"Make the changes now", "implement"},
}

func (m *model) answer(ctx context.Context, q ask.Question) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	label := "unknown"
	for _, k := range kinds {
		if strings.Contains(q.Text, k.mark) {
			label = "phase-" + phaseOf.FindStringSubmatch(q.Text)[1] + " " + k.kind
			break
		}
	}
	m.mu.Lock()
	m.asked, m.questions = append(m.asked, label), append(m.questions, q)
	var next func(string) (string, error)
	if list := m.do[label]; len(list) > 0 {
		next = list[0]
		m.do[label] = list[min(1, len(list)-1):]
	}
	m.mu.Unlock()
	if next == nil {
		return "", fmt.Errorf("the model was not told what to do for %s", label)
	}
	text, err := next(q.Folder)
	return plantest.WithWord(text, q.Text), err
}

// forget forgets what was asked so far.
func (m *model) forget() { m.asked, m.questions = nil, nil }

func edit(name, text string) func(string) (string, error) {
	return func(folder string) (string, error) { return "I have changed " + name + ".", put(folder, name, text) }
}

func say(text string) func(string) (string, error) {
	return func(string) (string, error) { return text, nil }
}

func link(folder, to, name string) error { return os.Symlink(to, filepath.Join(folder, name)) }
