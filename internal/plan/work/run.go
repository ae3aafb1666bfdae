package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/runner"
	"discoclaw/internal/plan/worktree"
)

// Start has an approved plan carried out, and returns the phase with which that begins: none if all of them are over.
func (m *Manager) Start(ctx context.Context, o Order) (plan.Plan, phases.Phase, error) {
	p, err := m.Plans.Find(ctx, o.At.Guild, o.Ref)
	if err != nil {
		return p, phases.Phase{}, err
	}
	if _, err := m.Runnable(ctx, p); err != nil {
		return p, phases.Phase{}, err
	}
	if p.Status != doc.Approved && p.Status != doc.Implementing { // a second start is refused, or recognised, by its lease
		return p, phases.Phase{}, doc.Refusal(p.ID, p.Status, doc.Implementing)
	}
	if p.Status == doc.Approved {
		if p, err = m.Divide(ctx, p, false, false); err != nil {
			return p, phases.Phase{}, err
		}
	}
	first, err := next(p, o.Phase)
	if err != nil || first.ID == "" {
		return p, first, err
	}
	p, err = m.begin(ctx, o, p.ID, plan.Running, asked{Phase: o.Phase, One: o.One, Quiet: o.Quiet})
	return p, first, err
}

// ErrNoRuns means that plans are not carried out here.
var ErrNoRuns = chat.WithRemedy(errors.New("plans are not carried out here"), "set PLAN_PHASES_ENABLED=1")

// next returns the phase with which a run begins.
func next(p plan.Plan, target string) (phases.Phase, error) {
	list := p.Phases.Phases
	if err := p.Phases.Stale(p.Hash()); err != nil {
		return phases.Phase{}, err
	}
	if err := phases.CheckGraph(list); err != nil {
		return phases.Phase{}, err
	}
	id, ok := target, true
	if target == "" {
		id, ok = phases.Next(list)
	}
	if !ok {
		return phases.Phase{}, nil
	}
	if err := phases.Runnable(list, id); err != nil {
		return phases.Phase{}, err
	}
	return list[phases.Index(list, id)], nil
}

// Divide divides a plan into phases if it has none, or if nothing was done yet and it has changed, or if it is to be divided anew.
func (m *Manager) Divide(ctx context.Context, p plan.Plan, anew, keepDone bool) (plan.Plan, error) {
	if p.Divided() && !anew && (p.Phases.Stale(p.Hash()) == nil || hasBegun(p)) {
		return p, nil
	}
	return m.Plans.Divide(ctx, p.ID, func(now plan.Plan) (phases.Record, error) {
		fresh, err := phases.Decompose(now.Doc, m.Files)
		if err != nil {
			return phases.Record{}, err
		}
		today := m.Now().Format(time.DateOnly)
		r := phases.Record{Plan: now.ID, File: now.File, Hash: now.Hash(), Created: today, Updated: today, Phases: fresh}
		if keepDone {
			r.Phases = phases.Regenerate(now.Phases.Phases, fresh)
		}
		return r, nil
	})
}

// hasBegun reports whether a phase of a plan is more than pending.
func hasBegun(p plan.Plan) bool {
	for _, ph := range p.Phases.Phases {
		if ph.Status != phases.Pending {
			return true
		}
	}
	return false
}

// run carries out a plan.
func (m *Manager) run(ctx context.Context, l *live, p plan.Plan) {
	var what asked
	if err := json.Unmarshal(l.Asked, &what); err != nil {
		m.giveUp(ctx, l, err)
		return
	}
	v := newView(p)
	s := m.open(ctx, l, v.String(), p.Heartbeat(m.Heartbeat))
	s.frame = v.ended
	trees, project, err := m.project(ctx, p.Project)
	var outcome runner.Outcome
	if err == nil {
		r := runner.New(runner.Options{Trees: trees, Ask: m.host.Model(l.Work), Fixes: m.Fixes, PhaseTime: m.PhaseTime,
			Level: m.Level, Now: m.Now, Log: m.Log})
		job := runner.Job{Project: project, Plan: l.Plan, Target: what.Phase}
		if what.One {
			job.Limit = 1
		}
		outcome, err = r.Run(ctx, job, runStore{m, l}, func(e runner.Event) {
			v.hear(e)
			m.note(l, v.doing)
			s.show(v.String())
		})
	}
	m.ran(ctx, l, s, p, project, outcome, err)
}

// ran ends a run.
func (m *Manager) ran(ctx context.Context, l *live, s *screen, p plan.Plan, project worktree.Project, outcome runner.Outcome, err error) {
	if _, byPerson := stopped(ctx); ctx.Err() != nil && !byPerson {
		s.close(ctx, pausedText(l))
		return
	}
	end := plan.Ending{To: doc.Approved, Outcome: string(outcome.Kind), Said: runEnd(p, project, outcome, err)}
	if outcome.Kind == runner.Finished || outcome.Kind == runner.NothingToRun {
		end.To, end.Why = doc.Closed, "its plan was carried out"
	}
	if err != nil {
		m.Log.ErrorContext(ctx, "run of a plan failed", "plan", l.Plan, "err", err)
		end.Outcome = "failed"
	}
	p, ok := m.finish(ctx, l, s, end)
	if ok && end.To == doc.Closed {
		m.learned(ctx, l.Work, fmt.Sprintf("carried out %s, %s, on the branch %s", p.ID, p.Title, p.Branch()))
	}
}

// noticeAfter is how long a run takes to be worth a message of its own at its end: by then its progress has scrolled away.
const noticeAfter = 45 * time.Second

// tidyTime is what removing a worktree may take, also while the process is being stopped.
const tidyTime = 30 * time.Second

// tidy removes the worktree of a plan that is done. Its branch stays.
func (m *Manager) tidy(ctx context.Context, p plan.Plan) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	trees, project, err := m.project(ctx, p.Project)
	if err == nil {
		err = trees.Remove(ctx, project, p.Number(), false)
	}
	if err != nil {
		m.Log.WarnContext(ctx, "cannot remove the worktree of a plan", "plan", p.ID, "err", err)
	}
}

// runEnd says how a run ended and what to do next.
func runEnd(p plan.Plan, project worktree.Project, o runner.Outcome, err error) string {
	id, title := p.ID, bold(p)
	switch {
	case err != nil:
		return fmt.Sprintf("❌ %s stopped: %s. `!plan run %s` goes on from there.", title, sentence(err), id)
	case o.Kind == runner.Finished, o.Kind == runner.NothingToRun:
		return fmt.Sprintf("✅ %s is done. I merged and pushed nothing. In your checkout of *%s*, `git log -p HEAD..%s` shows the commits, and `git merge %s` takes them over.", title, chat.Literal(project.Name), p.Branch(), p.Branch())
	case o.Kind == runner.Paused:
		return fmt.Sprintf("✅ Done. %s has more phases: `!plan run %s` goes on with them.", title, id)
	case o.Kind == runner.Stopped:
		return fmt.Sprintf("🛑 %s was %s. `!plan run %s` starts the unfinished phase over; finished ones stay.", title, o.Why, id)
	case o.Kind == runner.NotVerified:
		return fmt.Sprintf("⚠️ I did not start %s: %s. Then try again with `!plan run %s`. This attempt cost nothing.\n%s", title, o.Why, id, tail(o.Output))
	case o.Kind == runner.Stale:
		return fmt.Sprintf("⚠️ %s stopped: %s. Then approve it again.", title, o.Why)
	}
	text := fmt.Sprintf("❌ %s stopped in %s: %s.", title, strings.Replace(o.Phase, "-", " ", 1), strings.TrimSuffix(o.Why, "."))
	if o.Output != "" {
		text += "\n" + tail(o.Output)
	}
	for _, c := range o.Concerns {
		text += "\n- " + chat.Literal(chat.Clip(c.Title, 200))
	}
	return text + fmt.Sprintf("\n`!plan run %s` tries it again, `!plan skip %s` leaves it out, `!plan phases %s` shows all.", id, id, id)
}

func tail(output string) string {
	if output == "" {
		return ""
	}
	return block(output, 700)
}

// A runStore is a plan as the runner works on it.
type runStore struct {
	m *Manager
	l *live
}

func (s runStore) Load(ctx context.Context) (doc.Doc, phases.Record, error) {
	p, err := s.m.load(ctx, s.l)
	return p.Doc, p.Phases, err
}

func (s runStore) Save(ctx context.Context, r phases.Record) error {
	_, err := s.m.Plans.Keep(ctx, s.l.Work, r)
	return err
}

// Skip skips the phase of a plan that was interrupted or has failed, and returns its ID. Nothing may work on the plan.
func (m *Manager) Skip(ctx context.Context, g chat.GuildID, ref string) (p plan.Plan, id string, err error) {
	p, err = m.skipping(ctx, g, ref, func(list []phases.Phase) (rest []phases.Phase, err error) {
		rest, id, err = phases.Skip(list)
		return rest, err
	})
	return p, id, err
}

// SkipTo skips what keeps a phase of a plan from running next, and returns the IDs of what it skipped. Nothing may work on the plan.
func (m *Manager) SkipTo(ctx context.Context, g chat.GuildID, ref, phase string) (p plan.Plan, ids []string, err error) {
	p, err = m.skipping(ctx, g, ref, func(list []phases.Phase) (rest []phases.Phase, err error) {
		rest, ids, err = phases.SkipTo(list, PhaseID(phase))
		return rest, err
	})
	return p, ids, err
}

func (m *Manager) skipping(ctx context.Context, g chat.GuildID, ref string,
	skip func([]phases.Phase) ([]phases.Phase, error)) (plan.Plan, error) {
	p, err := m.Plans.Find(ctx, g, ref)
	if err != nil {
		return p, err
	}
	return m.Plans.Divide(ctx, p.ID, func(now plan.Plan) (phases.Record, error) {
		if !now.Divided() {
			return phases.Record{}, fmt.Errorf("this plan has no phases yet; `!plan phases %s` makes them", now.ID)
		}
		r := now.Phases
		list, err := skip(r.Phases)
		if err != nil {
			return r, err
		}
		r.Phases, r.Updated = list, m.Now().Format(time.DateOnly)
		return r, nil
	})
}

// PhaseID is the ID of a phase as people write it: phase-2, or 2 for short.
func PhaseID(ref string) string {
	ref = strings.ToLower(strings.TrimSpace(ref))
	if ref != "" && strings.Trim(ref, "0123456789") == "" {
		return "phase-" + strings.TrimLeft(ref, "0")
	}
	return ref
}

// Effect says in a few sentences what the approval of a plan would lead to.
func (m *Manager) Effect(ctx context.Context, p plan.Plan) string {
	what := fmt.Sprintf("Approve the plan “%s”", chat.Literal(p.Title))
	project, err := m.Runnable(ctx, p)
	if err != nil {
		return fmt.Sprintf("%s.\nIt cannot be run now: %s.", what, sentence(err))
	}
	return fmt.Sprintf("%s, of the project *%s*.\nNothing starts yet. When somebody runs it, models change %s, and after each phase I run %s on the computer that I run on.",
		what, chat.Literal(project.Name), changedFiles(p), chat.InCode(project.Verify))
}
