// Package plantest gives tests of plans a project, plans, and models with scripted answers. It is for tests only.
package plantest

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/work"
	"discoclaw/internal/plan/worktree"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

// Clean is the answer of an auditor who finds nothing.
const Clean = `{"word": "{word}", "severity": "none", "concerns": []}`

var wordForm = regexp.MustCompile(`"word": "(\w+)"`)

// WithWord puts the random word of an auditor's question, which stands at its end, into an answer that has {word}.
func WithWord(answer, question string) string {
	if list := wordForm.FindAllStringSubmatch(question, -1); len(list) > 0 {
		return strings.ReplaceAll(answer, "{word}", list[len(list)-1][1])
	}
	return answer
}

// Changes are those of Draft.
const Changes = `[{"title": "Change greet/greet.txt", "files": ["greet/greet.txt"], "change": "say good morning"}, ` +
	`{"title": "Change docs/usage.txt", "files": ["docs/usage.txt"], "change": "tell of it"}]`

// Draft is the answer of a drafter: a plan that changes two files, each in a folder of its own, so that it has three phases.
const Draft = "# Plan: Greet politely\n\n## Objective\n\nThe greeting says good morning to whoever is met.\n\n## Scope\n\nOnly the greeting, nothing else.\n\n" +
	"## Changes\n\n" + Changes + "\n\n## Risks\n\nNone that matter: it is a text.\n\n## Testing\n\n`true` passes.\n"

// Verify is the command of the project.
const Verify = "true"

// A Discord is where work shows itself.
type Discord interface {
	work.Server
	outbox.Server
}

// A Desk is where plans are made for a project, which is a real repository.
type Desk struct {
	Plans *plan.Engine
	Tasks *tasks.Engine
	Work  *work.Manager
	Dir   string // of the project

	t        testing.TB
	mu       sync.Mutex
	model    ask.Model
	projects worktree.Projects
}

// New returns a desk at which work can begin, until the test ends. Discord may be nil if none does. Until it is told otherwise, no model
// ever answers.
func New(t testing.TB, d Discord) *Desk {
	t.Helper()
	s := &Desk{t: t, Dir: newProject(t), model: Silent}
	s.projects = worktree.Projects{{Name: "greeter", Dir: s.Dir, Verify: Verify}}
	trees, err := worktree.New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	db := new(store.DB)
	s.Tasks = tasks.New(db, tasks.Options{})
	s.Plans = plan.New(db, plan.Options{Folder: filepath.Join(t.TempDir(), "plans"), Tasks: s.Tasks})
	s.Work = work.New(work.Options{
		Plans: s.Plans, Server: d, Outbox: outbox.New(db, d, slog.New(slog.DiscardHandler)),
		Trees:    func() (*worktree.Trees, error) { return trees, nil },
		Projects: func(context.Context, *worktree.Trees) (worktree.Projects, error) { return s.projects, nil },
		Off:      func(plan.Kind) string { return "" },
		Barred:   func(chat.UserID, chat.Place) string { return "" },
		Operates: func(context.Context, chat.UserID, chat.GuildID) bool { return true },
		Rounds:   2, Files: 1, Throttle: time.Second, ForgeTime: time.Hour, PhaseTime: time.Hour, Fixes: -1,
		Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err := db.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName)); err != nil {
		t.Fatal(err)
	}
	s.begin(db)
	return s
}

// begin lets work begin.
func (s *Desk) begin(db *store.DB) {
	ctx, stop := context.WithCancel(context.Background())
	ready := make(chan struct{})
	close(ready)
	host := work.Host{
		Ready: ready, Model: func(plan.Work) ask.Model { return s.ask },
		Report: func(_ context.Context, what string) { s.t.Error(what) },
	}
	var over sync.WaitGroup
	over.Go(func() { s.Work.Run(ctx, host) })
	s.t.Cleanup(func() {
		stop()
		over.Wait()
		_ = db.Close()
	})
}

// AddProject adds a project that there is only by name.
func (s *Desk) AddProject(name string) {
	s.projects = append(s.projects, worktree.Project{Name: name, Dir: s.Dir})
}

// Answer sets who answers from now on.
func (s *Desk) Answer(m ask.Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = m
}

func (s *Desk) ask(ctx context.Context, q ask.Question) (string, error) {
	s.mu.Lock()
	m := s.model
	s.mu.Unlock()
	return m(ctx, q)
}

// Silent is a model that never answers.
func Silent(ctx context.Context, _ ask.Question) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// Able is a model that drafts, audits and carries out Draft.
func Able(_ context.Context, q ask.Question) (string, error) {
	switch {
	case q.Role == roles.ForgeDrafter:
		return Draft, nil
	case q.Role == roles.ForgeAuditor || q.Level == llm.ToolsRead:
		return WithWord(Clean, q.Text), nil
	}
	for _, name := range []string{"greet/greet.txt", "docs/usage.txt"} {
		if strings.Contains(q.Text, "for these files: `"+name) {
			return "Done.", os.WriteFile(filepath.Join(q.Folder, name), []byte("good morning\n"), 0o600)
		}
	}
	return "I know nothing of that.", nil
}

// Make adds a plan with the text of Draft.
func (s *Desk) Make(g chat.GuildID, ch chat.ChannelID, by chat.UserID, outside chat.Sources) plan.Plan {
	s.t.Helper()
	p, err := s.Plans.Create(s.t.Context(), plan.Draft{Description: "Greet politely", Project: "greeter", Guild: g, Channel: ch, Author: by, Outside: outside})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.Edit(p, func(string) string {
		text, err := p.Merge(Draft)
		if err != nil {
			s.t.Fatal(err)
		}
		return text
	})
}

// Edit changes the file of a plan, as people do.
func (s *Desk) Edit(p plan.Plan, change func(string) string) plan.Plan {
	s.t.Helper()
	path := filepath.Join(s.Plans.Folder, p.File)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(change(string(text))), 0o600)
	}
	if err == nil {
		p, err = s.Plans.Find(s.t.Context(), p.Guild, string(p.ID))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// Log returns the titles of the commits on a branch of the project.
func (s *Desk) Log(branch string) string {
	s.t.Helper()
	return git(s.t, s.Dir, "log", "--format=%s", branch)
}

func newProject(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, so plans are not tried")
	}
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for _, name := range []string{"greet/greet.txt", "docs/usage.txt"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("hello\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "begin")
	return dir
}

// git runs git as a person would, and returns what it prints.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
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
