package main

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/plan"
	planwork "discoclaw/internal/plan/work"
	"discoclaw/internal/plan/worktree"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

// A planRig plays the story of a plan: it is forged, approved, and carried out, by a process that is killed once.
type planRig struct {
	*killRig
	project planProject
	data    string // the data directory
	before  string // people's checkout when the story begins

	at     planPoint       // guarded by killRig.mu, as is what follows
	counts map[string]int  // how often a part was asked to the end
	over   map[string]bool // phases whose work had passed when the process was killed
	wrong  []string        // questions that must not have been asked
}

// A half of the story begins with what a person wants: a plan, and then that it is carried out.
type half string

const (
	forgeHalf half = "forge"
	runHalf   half = "run"
)

func newPlanRig(t *testing.T) *planRig {
	t.Helper()
	r := &planRig{killRig: &killRig{orders: orders(t.TempDir()), asked: map[string]int{}}, counts: map[string]int{}}
	r.project = newPlanProject(t, r.orders)
	r.process = prepare(t, self(t), r.guard, ordersIn+"="+string(r.orders), "PATH="+r.project.tools+":"+os.Getenv("PATH"), "TMPDIR="+t.TempDir(),
		"DISCOCLAW_MESSAGE_HISTORY_BUDGET=0", "FORGE_PROGRESS_THROTTLE_MS=500", "PLAN_FORGE_HEARTBEAT_INTERVAL_MS=0")
	r.model.Always(r.answer)
	r.data = data(t, r.process)
	r.project.install(t, r.data)
	r.before = r.project.checkout(t)
	return r
}

// play plays the story with a kill at a point; the zero point is for none.
func (r *planRig) play(t *testing.T, p planPoint) {
	t.Helper()
	for _, h := range []half{forgeHalf, runHalf} {
		r.wish(t, h)
		if p.half == h {
			r.killed(t, p)
		}
		r.launch(t)
		r.online(t)
		r.watch()
		r.untilOver(t, h)
		r.leave(t)
	}
}

// killed has the process begin, and waits until it was killed.
func (r *planRig) killed(t *testing.T, p planPoint) {
	t.Helper()
	r.mu.Lock()
	r.at = p
	r.mu.Unlock()
	switch {
	case p.change != "":
		r.order(t, killPoint{when: p.when, change: p.change})
	case p.command != "":
		writeFile(t, filepath.Join(string(r.orders), "command"), p.when+" "+p.command+"\n", 0o600)
	}
	r.launch(t)
	r.watch()
	if p.delay > 0 {
		r.online(t)
		time.AfterFunc(p.delay, r.killNow)
	}
	r.awaitEnd(t)
	passed, err := r.passed()
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.over = planPoint{}, passed
}

// wish does what a person does, while the process is off, so that the next one finds it.
func (r *planRig) wish(t *testing.T, h half) {
	t.Helper()
	r.withPlans(t, func(ctx context.Context, e *plan.Engine, m *planwork.Manager) error {
		ada := r.world.UserID("ada")
		o := planwork.Order{At: chat.Place{Guild: r.world.GuildID(), Channel: r.world.ChannelID("general")}, Requester: ada, Dedupe: "wish/" + string(h)}
		if h == forgeHalf {
			o.Description = "greet people by their names"
			_, err := m.Forge(ctx, o)
			return err
		}
		p, err := e.Approve(ctx, r.world.GuildID(), "plan-001", "", ada)
		if err != nil {
			return err
		}
		o.Ref = string(p.ID)
		_, _, err = m.Start(ctx, o)
		return err
	})
}

// withPlans opens the plans of a process that is off.
func (r *planRig) withPlans(t *testing.T, do func(context.Context, *plan.Engine, *planwork.Manager) error) {
	t.Helper()
	db, log := new(store.DB), slog.New(slog.DiscardHandler)
	e := plan.New(db, plan.Options{Folder: filepath.Join(r.data, "workspace", "plans"), Tasks: tasks.New(db, tasks.Options{})})
	if err := db.Open(t.Context(), filepath.Join(r.data, store.FileName)); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	m := planwork.New(planwork.Options{
		Plans: e, Now: time.Now, Log: log,
		Trees: func() (*worktree.Trees, error) { return worktree.New(r.data, nil) },
		Projects: func(ctx context.Context, t *worktree.Trees) (worktree.Projects, error) {
			return t.Projects(ctx, filepath.Join(r.data, "workspace"))
		},
	})
	if err := do(t.Context(), e, m); err != nil {
		t.Fatal(err)
	}
}

// untilOver waits until a half of the story is over. What it leaves last is in the database alone, of which no event tells.
func (r *planRig) untilOver(t *testing.T, h half) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for late := time.After(long); !r.shown(h) || !r.isTold(t, h); {
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("the end of the %s was not shown\n%s\n%s", h, r.world.Transcript(), &r.errs)
		}
	}
}

// isTold reports whether the process knows that people see that a half of the story is over.
func (r *planRig) isTold(t *testing.T, h half) bool {
	t.Helper()
	n := 0
	err := r.query("SELECT count(*) FROM plan_work WHERE kind = ? AND over <> 0 AND said = ''", []any{h}, &n)
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// query reads a row of the running process's database.
func (r *planRig) query(text string, args []any, into ...any) error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(r.data, store.FileName)+"?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	return db.QueryRow(text, args...).Scan(into...)
}

// shown reports whether people see that a half of the story is over.
func (r *planRig) shown(h half) bool {
	for _, m := range r.world.Messages("general") {
		if len(m.Components) == 0 && endOf(m.Content) == h {
			return true
		}
	}
	return false
}

// endOf is the half whose end a message shows, if it is one.
func endOf(text string) half {
	switch {
	case strings.Contains(text, "** is written and audited"):
		return forgeHalf
	case strings.Contains(text, "** is done. I merged"):
		return runHalf
	}
	return ""
}

// answer plays the models. It looks up whether what it is asked about is over already.
func (r *planRig) answer(x *llmtest.Exchange) {
	name, p, ok := partOf(x.Request)
	if !ok {
		r.note("a question that is not part of the story: " + askedIn(x.Request))
		llmtest.Text("What?")(x)
		return
	}
	if hasResult(x.Request) {
		name += afterTool
	}
	r.requireOpen(name)
	r.mu.Lock()
	at := r.at
	r.mu.Unlock()
	if at.question == name && at.when == "before" {
		r.killNow()
		x.Die()
	}
	p.answer(x)
	r.mu.Lock()
	r.counts[name]++
	r.mu.Unlock()
	if at.question == name {
		r.killNow()
	}
}

func (r *planRig) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, what)
}

// guard stands before Discord and the model, and kills the process at the request of its point.
func (r *planRig) guard(p *process, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if r.orders.isDying() {
			panic(http.ErrAbortHandler)
		}
		r.mu.Lock()
		at := r.at
		r.mu.Unlock()
		if at.post == "" || at.post != postOf(q) {
			next.ServeHTTP(w, q)
			return
		}
		if at.when == "after" {
			next.ServeHTTP(httptest.NewRecorder(), q)
		}
		p.killNow()
		panic(http.ErrAbortHandler)
	})
}

// postOf names a request to Discord by what it shows.
func postOf(q *http.Request) string {
	if !strings.Contains(q.URL.Path, "/messages") || q.Method != http.MethodPost && q.Method != http.MethodPatch {
		return ""
	}
	body, err := io.ReadAll(q.Body)
	q.Body = io.NopCloser(bytes.NewReader(body))
	text := string(body)
	switch {
	case err != nil:
		return ""
	case strings.Contains(text, "plan:approve:"):
		return "card posted"
	case endOf(text) != "":
		return "end of the " + string(endOf(text)) + " shown"
	case q.Method == http.MethodPost && strings.Contains(text, "Working on"):
		return "progress of the forge posted"
	case q.Method == http.MethodPost && strings.Contains(text, "plan-stop:"):
		return "progress of the run posted"
	case q.Method == http.MethodPatch && strings.Contains(text, "plan-stop:"):
		return "progress shown"
	}
	return ""
}
