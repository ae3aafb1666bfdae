// Package forge writes plans: a model drafts one, another audits it, and the first revises it, until the audit finds nothing that
// blocks or no rounds are left.
//
// [Forge.Run] is that loop, and [Forge.Audit] a single audit. Both know neither Discord nor the database: a [Store] is the plan,
// an [ask.Model] answers, and a callback hears of the progress. Every step is stored together with its result, so that a process
// that is killed goes on without asking again what was answered.
//
// It fails closed: a plan is clean only if the auditor gave a verdict, see [verdict.Read], in which nothing blocks. What has none, and
// what people changed while it was audited, is for a person to decide.
package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/verdict"
)

// A Store is one plan as forge works on it. Its owner sees to it that one run at a time has it.
type Store interface {
	Load(ctx context.Context) (doc.Doc, error)
	// Update stores what change makes of the plan as it is now, and the state, in one transaction. It returns the error of change
	// as it is, with nothing stored. Nothing else writes to the plan in the meantime, so change returns quickly.
	Update(ctx context.Context, change func(now doc.Doc) (text string, s State, err error)) error
}

// Work is what is to be done about a plan. The file of the plan is there already, with what its template says.
type Work struct {
	Description string // what a person asked for; may be empty for a plan that is no longer a template
	Context     string // what led to it
	Wish        string // what a person wants changed in the plan
	Project     Project
	Template    string // of plans; empty means [doc.Template]
	State       State  // where to go on; zero for new work
}

// A Project is what a plan changes.
type Project struct {
	Name   string
	Dir    string // that models read with their tools; without it they have none
	Verify string // the command that tests it, the only one that is ever run; may be empty
	Guide  string // what the project and the workspace say to those who work there; may be empty
}

// Options configure a Forge.
type Options struct {
	Ask     ask.Model
	Rounds  int           // audits of one piece of work; 0 means 5
	Timeout time.Duration // of one question; 0 means 30 minutes
	Now     func() time.Time
	Log     *slog.Logger
}

// A Forge writes plans. It is safe for concurrent use with different plans.
type Forge struct {
	ask     ask.Model
	rounds  int
	timeout time.Duration
	now     func() time.Time
	log     *slog.Logger
}

// New returns a Forge.
func New(o Options) *Forge {
	f := &Forge{ask: o.Ask, rounds: cmp.Or(max(o.Rounds, 0), 5), timeout: cmp.Or(max(o.Timeout, 0), 30*time.Minute), now: o.Now,
		log: cmp.Or(o.Log, slog.New(slog.DiscardHandler))}
	if f.now == nil {
		f.now = time.Now
	}
	return f
}

// ErrVague means that nothing says what the plan is for.
var ErrVague = errors.New("say what the plan is for")

// Run works on a plan until there is an outcome, which is stored too: run again with that state, it returns the outcome at once.
// An error, such as a model's or the context's, leaves plan and state as the last step stored them. The callback, which may be
// nil, returns at once.
func (f *Forge) Run(ctx context.Context, w Work, store Store, tell func(Progress)) (Outcome, error) {
	r := f.work(w, store, tell)
	if r.state.Step == "" {
		d, err := store.Load(ctx)
		if err != nil {
			return Outcome{}, err
		}
		r.state = r.begin(d)
	}
	for r.state.Step != Done {
		if err := r.step(ctx); err != nil {
			return Outcome{}, err
		}
	}
	r.tell(Progress{Step: Done, Outcome: r.state.Outcome})
	return r.state.Outcome, nil
}

// A run is the work on one plan.
type run struct {
	*Forge
	Work
	store Store
	tell  func(Progress)
	state State
}

func (f *Forge) work(w Work, store Store, tell func(Progress)) *run {
	if w.Template == "" {
		w.Template = doc.Template
	}
	if tell == nil {
		tell = func(Progress) {}
	}
	return &run{Forge: f, Work: w, store: store, tell: tell, state: w.State}
}

func (r *run) step(ctx context.Context) error {
	d, err := r.store.Load(ctx)
	if err != nil {
		return err
	}
	switch r.state.Step {
	case Draft:
		if isVague(r.Work) {
			return ErrVague
		}
		return r.write(ctx, d, Progress{Step: Draft}, r.draftQuestion(d))
	case Revise:
		return r.write(ctx, d, Progress{Step: Revise, Severity: r.state.Severity}, r.reviseQuestion(d, r.state.Notes))
	case Audit:
		return r.audit(ctx, d)
	}
	return errors.New("the stored state of forge has the unknown step " + string(r.state.Step))
}

// update changes the plan and goes on to the state that is stored with it. What was cancelled is not stored.
func (r *run) update(ctx context.Context, change func(now doc.Doc) (string, State, error)) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var next State
	err := r.store.Update(ctx, func(now doc.Doc) (text string, _ State, err error) {
		text, next, err = change(now)
		return text, next, err
	})
	if err == nil {
		r.state = next
	}
	return err
}

// isEdited reports whether people changed what a plan says since a model was asked about it.
func isEdited(asked, now doc.Doc) bool { return asked.Title != now.Title || asked.Body() != now.Body() }

// begin says where new work begins. Only a plan of which nothing but the template is there is drafted: what people wrote
// is never thrown away, but revised.
func (r *run) begin(d doc.Doc) State {
	s := State{Step: Audit, Last: r.rounds}
	if d.IsTemplate(r.Template) {
		s.Step = Draft
		return s
	}
	found, blocked := lastReview(d)
	issues := graveIssues(d)
	switch {
	case strings.TrimSpace(r.Wish) != "":
		s.Step, s.Notes = Revise, joined(found, issueNotes(issues))
	case len(issues) > 0:
		s.Step, s.Notes, s.Severity = Revise, issueNotes(issues), worst(issues)
	case blocked:
		s.Step, s.Notes, s.Severity = Revise, found, verdict.Blocking
	}
	return s
}

// lastReview returns the latest review, and whether it says that something blocks.
func lastReview(d doc.Doc) (found string, blocked bool) {
	list := d.Reviews()
	if len(list) == 0 {
		return "", false
	}
	return list[len(list)-1].Notes, strings.EqualFold(d.LatestVerdict(), verdict.NeedsRevision)
}

// graveIssues are those of the form of a plan that an auditor need not look at first.
func graveIssues(d doc.Doc) []doc.Issue {
	var list []doc.Issue
	for _, i := range d.Check() {
		if i.Severity > verdict.Minor {
			list = append(list, i)
		}
	}
	return list
}

func worst(issues []doc.Issue) verdict.Severity {
	s := verdict.Unstated
	for _, i := range issues {
		s = max(s, i.Severity)
	}
	return s
}

// issueNotes are issues as a review has them.
func issueNotes(issues []doc.Issue) string {
	var b strings.Builder
	for _, i := range issues {
		_, _ = fmt.Fprintf(&b, "- %s (%s)\n", i.Text, i.Severity) // a Builder takes everything
	}
	return strings.TrimSpace(b.String())
}

// issueLine are issues as sentences.
func issueLine(issues []doc.Issue) string {
	var list []string
	for _, i := range issues {
		list = append(list, i.Text)
	}
	return strings.Join(list, " ")
}

// Vague reports whether a description says nothing: it has no letters.
func Vague(description string) bool { return chat.Letters(description) == "" }

func isVague(w Work) bool {
	return Vague(w.Description) && strings.TrimSpace(w.Context) == "" && Vague(w.Wish)
}
