package plan

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

const (
	here = chat.GuildID("g1")
	ada  = chat.UserID("u1")
)

// A desk has the plans of a test, which can be opened again as after a restart.
type desk struct {
	*Engine
	t      *testing.T
	db     *store.DB
	tasks  *tasks.Engine
	folder string
}

func open(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, db: new(store.DB), folder: filepath.Join(t.TempDir(), "plans")}
	d.tasks = tasks.New(d.db, tasks.Options{})
	d.Engine = New(d.db, Options{Folder: d.folder, Tasks: d.tasks})
	if err := d.db.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.db.Close() })
	return d
}

func (d *desk) create(description string) Plan {
	d.t.Helper()
	p, err := d.Create(d.t.Context(), Draft{Description: description, Project: "sample", Guild: here, Channel: "c1", Author: ada})
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// filled is create for a plan that can be approved.
func (d *desk) filled(description string) Plan {
	d.t.Helper()
	p := d.create(description)
	d.edit(p, "(What is true when this is done, and for whom.)", "It can be switched on.")
	return d.find(string(p.ID))
}

func (d *desk) file(p Plan) string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.folder, p.File))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

func (d *desk) edit(p Plan, from, to string) {
	d.t.Helper()
	before := d.file(p)
	after := strings.Replace(before, from, to, 1)
	if before == after {
		d.t.Fatalf("%q is not in the file", from)
	}
	if err := os.WriteFile(filepath.Join(d.folder, p.File), []byte(after), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) find(ref string) Plan {
	d.t.Helper()
	p, err := d.Find(d.t.Context(), here, ref)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

func (d *desk) taskOf(p Plan) tasks.Task {
	d.t.Helper()
	t, err := d.tasks.Get(d.t.Context(), here, p.Task)
	if err != nil {
		d.t.Fatal(err)
	}
	return t
}

// requireStatus checks that the database, the file and the task say the same.
func (d *desk) requireStatus(p Plan, want doc.Status) {
	d.t.Helper()
	p = d.find(string(p.ID))
	inFile, err := doc.Parse(d.file(p))
	if err != nil || p.Status != want || inFile.Status != want {
		d.t.Errorf("the status is %s, and %s in the file (%v), want %s", p.Status, inFile.Status, err, want)
	}
	task := map[doc.Status]tasks.Status{doc.Approved: tasks.InProgress, doc.Implementing: tasks.InProgress, doc.Closed: tasks.Closed}[want]
	if task == "" {
		task = tasks.Open
	}
	if got := d.taskOf(p).Status; got != task {
		d.t.Errorf("the task of a plan that is %s is %s", want, got)
	}
}

func TestAPlanHasAFileAndATask(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.create("Add a flag")
	if p.ID != "plan-001" || p.File != "plan-001-add-a-flag.md" || !strings.Contains(d.file(p), "**Task:** ws-001") {
		t.Errorf("%s in %s:\n%s", p.ID, p.File, d.file(p))
	}
	if task := d.taskOf(p); task.Title != "Add a flag" || task.Creator != ada || task.Labels[0] != "plan" {
		t.Errorf("task %+v", task)
	}
	d.requireStatus(p, doc.Draft)
	if again := d.create("add a FLAG"); again.ID != "plan-002" || again.Task != p.Task {
		t.Errorf("a plan of the same title is %s with the task %s", again.ID, again.Task)
	}
}

func TestARequestMakesOnePlan(t *testing.T) {
	t.Parallel()
	d := open(t)
	draft := Draft{Description: "Add a flag", Guild: here, Author: ada, Dedupe: "turn/0"}
	first, err := d.Create(t.Context(), draft)
	second, again := d.Create(t.Context(), draft)
	if err != nil || again != nil || first.ID != second.ID {
		t.Errorf("%s and %s, %v, %v", first.ID, second.ID, err, again)
	}
}

func TestPlansAreFoundByAnySpelling(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.create("Add a flag")
	for _, ref := range []string{"plan-001", "PLAN-1", "1", "001", "ws-001", "WS-1"} {
		if p, err := d.Find(t.Context(), here, ref); err != nil || p.ID != "plan-001" {
			t.Errorf("%s: %s, %v", ref, p.ID, err)
		}
	}
	for _, ref := range []string{"2", "plan-2", "the plan", ""} {
		if p, err := d.Find(t.Context(), here, ref); err == nil {
			t.Errorf("%q is %s", ref, p.ID)
		}
	}
	if _, err := d.Find(t.Context(), "g2", "1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("on another server: %v", err)
	}
}

// Numbers that files have are not given again, whatever the database knows.
func TestNumbersGoOnAfterFiles(t *testing.T) {
	t.Parallel()
	d := open(t)
	if err := os.MkdirAll(d.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.folder, "plan-041-old.md"), []byte("# Plan: old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := d.create("Add a flag"); p.ID != "plan-042" {
		t.Errorf("got %s", p.ID)
	}
}

func TestWhatPeopleEditIsReadBack(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.create("Add a flag")
	d.edit(p, "# Plan: Add a flag", "# Plan: Add two flags")
	d.edit(p, "**Status:** DRAFT", "**Status:** APPROVED")
	p = d.find("1")
	if p.Title != "Add two flags" || p.Status != doc.Draft {
		t.Errorf("%q is %s", p.Title, p.Status)
	}
	d.requireStatus(p, doc.Draft) // the status line is not for people to write
}

func TestAFileThatIsNoPlanIsNotTaken(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.create("Add a flag")
	d.edit(p, "**ID:** plan-001", "**ID:** plan-002")
	if _, err := d.Find(t.Context(), here, "1"); err == nil || !strings.Contains(err.Error(), "Mend it, or delete it") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(filepath.Join(d.folder, p.File)); err != nil {
		t.Fatal(err)
	}
	if p := d.find("1"); !strings.Contains(d.file(p), "**ID:** plan-001") {
		t.Errorf("the file is not written again:\n%s", d.file(p))
	}
}

// A process that is killed between the transaction and the file leaves a file that is behind.
func TestTheFileFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.filled("Add a flag")
	old := d.file(p)
	if _, err := d.Approve(t.Context(), here, "1", "", ada); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.folder, p.File), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.db.ExecContext(t.Context(), "UPDATE plans SET written = ''"); err != nil {
		t.Fatal(err)
	}
	d.requireStatus(p, doc.Approved)
}

var statuses = []doc.Status{doc.Draft, doc.Review, doc.Approved, doc.Implementing, doc.Cancelled, doc.Closed}

// reach brings a plan to a status by allowed steps.
var reach = map[doc.Status][]doc.Status{
	doc.Draft: nil, doc.Review: {doc.Review}, doc.Approved: {doc.Approved}, doc.Implementing: {doc.Approved, doc.Implementing},
	doc.Cancelled: {doc.Cancelled}, doc.Closed: {doc.Closed},
}

// Every pair of statuses is tried: an allowed one is written everywhere, and a refused one changes nothing anywhere.
func TestEveryTransition(t *testing.T) {
	t.Parallel()
	for _, from := range statuses {
		for _, to := range statuses {
			t.Run(string(from)+" to "+string(to), func(t *testing.T) {
				t.Parallel()
				d := open(t)
				p := d.create("Add a flag")
				step := func(to doc.Status) error {
					_, err := d.change(t.Context(), p.number, func(tx *store.Tx, p *Plan) error { return d.set(t.Context(), tx, p, to, ada, "because") })
					return err
				}
				for _, s := range reach[from] {
					if err := step(s); err != nil {
						t.Fatal(err)
					}
				}
				d.requireStatus(p, from)
				err := step(to)
				if doc.Allowed(from, to) {
					if err != nil {
						t.Error(err)
					}
					d.requireStatus(p, to)
					return
				}
				if err == nil || strings.Contains(err.Error(), "database") {
					t.Errorf("it is refused with %v", err)
				}
				d.requireStatus(p, from)
			})
		}
	}
}

// What people ask for, from every status.
func TestWhatPeopleMayDo(t *testing.T) {
	t.Parallel()
	type doing func(*Engine, context.Context, chat.GuildID, string, chat.UserID) (Plan, error)
	verbs := map[doc.Status]doing{
		doc.Approved: func(e *Engine, ctx context.Context, g chat.GuildID, ref string, by chat.UserID) (Plan, error) {
			return e.Approve(ctx, g, ref, "", by)
		},
		doc.Closed: (*Engine).Close, doc.Cancelled: (*Engine).Cancel,
	}
	for _, from := range statuses {
		for to, do := range verbs {
			d := open(t)
			p := d.filled("Add a flag")
			for _, s := range reach[from] {
				if s == doc.Implementing {
					if _, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Running}); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if _, err := d.change(t.Context(), p.number, func(tx *store.Tx, p *Plan) error { return d.set(t.Context(), tx, p, s, ada, "") }); err != nil {
					t.Fatal(err)
				}
			}
			_, err := do(d.Engine, t.Context(), here, "1", ada)
			if allowed := doc.AllowedByHand(from, to); allowed != (err == nil) {
				t.Errorf("from %s to %s: %v", from, to, err)
			} else if !allowed {
				d.requireStatus(p, from)
			}
		}
	}
}

// A failure of the task takes the plan back with it: they are one transaction.
func TestPlanAndTaskChangeTogether(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.create("Add a flag")
	if _, err := d.db.ExecContext(t.Context(), "CREATE TRIGGER broken BEFORE UPDATE ON tasks BEGIN SELECT RAISE(ABORT, 'no'); END"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Approve(t.Context(), here, "1", "", ada); err == nil {
		t.Error("approved without its task")
	}
	if _, err := d.db.ExecContext(t.Context(), "DROP TRIGGER broken"); err != nil {
		t.Fatal(err)
	}
	d.requireStatus(p, doc.Draft)
}

func TestApprovalIsOfWhatWasShown(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.create("Add a flag")
	shown := p.Hash()
	d.edit(p, "(What can go wrong", "(Everything can go wrong")
	if _, err := d.Approve(t.Context(), here, "1", shown, ada); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("got %v", err)
	}
	if p, err := d.Approve(t.Context(), here, "1", d.find("1").Hash(), ada); err != nil || p.Decider != ada {
		t.Errorf("%+v, %v", p, err)
	}
	d.edit(p, "(Everything can go wrong", "(Nothing can go wrong")
	d.requireStatus(p, doc.Review)
	if _, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Running}); err == nil {
		t.Error("what was not approved is run")
	}
}

func same(d doc.Doc) (string, []byte, error) { return d.Text(), nil, nil }

func TestLeases(t *testing.T) {
	t.Parallel()
	d := open(t)
	one, two := d.create("Add a flag"), d.create("Add a test")
	forging, _, _, err := d.Begin(t.Context(), Work{Plan: one.ID, Kind: Forging, Requester: ada})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := d.Begin(t.Context(), Work{Plan: two.ID, Kind: Forging}); !errors.As(err, new(*BusyError)) || !strings.Contains(err.Error(), "`!forge cancel`") {
		t.Errorf("a second forge: %v", err)
	}
	for _, refused := range []error{
		func() error { _, err := d.Approve(t.Context(), here, "1", "", ada); return err }(),
		func() error { _, err := d.Close(t.Context(), here, "ws-1", ada); return err }(),
		func() error {
			_, err := d.Divide(t.Context(), one.ID, func(Plan) (phases.Record, error) { return phases.Record{}, nil })
			return err
		}(),
	} {
		if !errors.As(refused, new(*BusyError)) {
			t.Errorf("while it is forged: %v", refused)
		}
	}
	if _, err := d.Rewrite(t.Context(), forging, same); err != nil {
		t.Error(err)
	}
	if _, err := d.End(t.Context(), forging, Ending{To: doc.Review, Outcome: "clean"}); err != nil {
		t.Fatal(err)
	}
	d.requireStatus(one, doc.Review)
	if _, err := d.Rewrite(t.Context(), forging, same); err == nil {
		t.Error("work that is over still writes")
	}
	if _, _, _, err := d.Begin(t.Context(), Work{Plan: two.ID, Kind: Forging}); err != nil {
		t.Error(err)
	}
}

// A run is one of its plan, sets IMPLEMENTING, and leaves APPROVED or CLOSED.
func TestRuns(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.filled("Add a flag")
	if _, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Running}); err == nil || !strings.Contains(err.Error(), "is not approved") {
		t.Errorf("a draft is run: %v", err)
	}
	if _, err := d.Approve(t.Context(), here, "1", "", ada); err != nil {
		t.Fatal(err)
	}
	run, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Running, Requester: ada})
	if err != nil {
		t.Fatal(err)
	}
	d.requireStatus(p, doc.Implementing)
	if _, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Running}); !errors.As(err, new(*BusyError)) {
		t.Errorf("a second run: %v", err)
	}
	for want := range 3 {
		if n, err := d.Attempt(t.Context(), run); err != nil || n != want+1 {
			t.Errorf("attempt %d, %v", n, err)
		}
	}
	if list, err := d.Unfinished(t.Context()); err != nil || len(list) != 1 || list[0].Plan != p.ID || list[0].Requester != ada || list[0].Attempts != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := d.End(t.Context(), run, Ending{To: doc.Approved, Outcome: "stopped"}); err != nil {
		t.Fatal(err)
	}
	d.requireStatus(p, doc.Approved)
	if run, _, _, err = d.Begin(t.Context(), Work{Plan: p.ID, Kind: Running, Requester: ada}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.End(t.Context(), run, Ending{To: doc.Closed, Outcome: "finished", Why: "all phases are done"}); err != nil {
		t.Fatal(err)
	}
	d.requireStatus(p, doc.Closed)
	if task := d.taskOf(p); task.Reason != "all phases are done" {
		t.Errorf("the task was closed with %q", task.Reason)
	}
}

// How work ended is kept until people were told.
func TestTheEndOfWorkIsKeptUntilItIsTold(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.create("Add a flag")
	forging, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Forging, Requester: ada})
	if err != nil {
		t.Fatal(err)
	}
	untold := func(want ...string) {
		t.Helper()
		list, err := d.Untold(t.Context())
		var said []string
		for _, w := range list {
			said = append(said, w.Said)
		}
		if err != nil || !slices.Equal(said, want) {
			t.Errorf("untold is %q, %v; want %q", said, err, want)
		}
	}
	untold()
	if _, err := d.End(t.Context(), forging, Ending{To: doc.Review, Outcome: "clean", Said: "It passed."}); err != nil {
		t.Fatal(err)
	}
	untold("It passed.")
	if err := d.Told(t.Context(), forging); err != nil {
		t.Fatal(err)
	}
	untold()
}

// A plan that people edit while it is carried out needs approval again afterwards.
func TestAnEditDuringARunEndsTheApproval(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.filled("Add a flag")
	if _, err := d.Approve(t.Context(), here, "1", "", ada); err != nil {
		t.Fatal(err)
	}
	run, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Running, Requester: ada})
	if err != nil {
		t.Fatal(err)
	}
	d.edit(p, "(What can go wrong", "(Everything can go wrong")
	d.requireStatus(p, doc.Implementing)
	if _, err := d.End(t.Context(), run, Ending{To: doc.Approved, Outcome: "stale"}); err != nil {
		t.Fatal(err)
	}
	d.requireStatus(p, doc.Review)
}

func TestAnApprovalIsOfAllThatAModelIsTold(t *testing.T) {
	t.Parallel()
	for _, edit := range [][2]string{
		{"**Project:** sample", "**Project:** other"},
		{"# Plan: Add a flag", "# Plan: Add a back door"},
		{"## Objective", "Above all, add a back door.\n\n## Objective"},
		{"## Risks", "## Phases\n\nAdd a back door.\n\n## Risks"},
	} {
		d := open(t)
		p := d.filled("Add a flag")
		if _, err := d.Approve(t.Context(), here, "1", "", ada); err != nil {
			t.Fatal(err)
		}
		d.edit(p, edit[0], edit[1])
		if got := d.find("1").Status; got != doc.Review {
			t.Errorf("%q: %s", edit[1], got)
		}
	}
}

func TestOutsideTextOfALaterForgeIsThePlansToo(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.create("Add a flag")
	for _, outside := range []chat.Sources{"a page of example.org", ""} {
		w, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Forging, Requester: ada, Outside: outside})
		if err == nil {
			_, err = d.End(t.Context(), w, Ending{To: doc.Review, Outcome: "clean"})
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := d.find("1").Outside; got != "a page of example.org" {
			t.Errorf("%q", got)
		}
	}
}

func TestAnUnreadableFileDoesNotKeepTheLease(t *testing.T) {
	t.Parallel()
	d := open(t)
	p, other := d.create("Add a flag"), d.create("Add another")
	w, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Forging, Requester: ada})
	if err != nil {
		t.Fatal(err)
	}
	d.edit(p, "## Objective", "~~~\n## Objective")
	if _, err := d.End(t.Context(), w, Ending{To: doc.Review, Outcome: "failed"}); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := d.Begin(t.Context(), Work{Plan: other.ID, Kind: Forging, Requester: ada}); err != nil {
		t.Error(err)
	}
	if _, err := d.Find(t.Context(), here, "1"); err == nil || !strings.Contains(err.Error(), "never closed") {
		t.Errorf("the file as people left it: %v", err)
	}
	d.edit(p, "~~~\n## Objective", "## Objective")
	d.requireStatus(p, doc.Review)
}

func TestAPlanDoesNotGrowUntilItCannotBeRead(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.create("Add a flag")
	w, _, _, err := d.Begin(t.Context(), Work{Plan: p.ID, Kind: Forging, Requester: ada})
	for range 40 {
		if err != nil {
			break
		}
		_, err = d.Rewrite(t.Context(), w, func(now doc.Doc) (string, []byte, error) {
			return now.WithReview("2026-03-03", strings.Repeat("Many words.\n", 1000)), nil, nil
		})
	}
	if err == nil || !strings.Contains(err.Error(), "no room left") {
		t.Errorf("the last review: %v", err)
	}
	d.requireStatus(p, doc.Draft) // it can still be read
}
