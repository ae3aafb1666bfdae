package work

import (
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/worktree"
)

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
			return phases.Record{}, fmt.Errorf("%s has no phases yet; `!plan phases %s` makes them", now.ID, now.ID)
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
	what := fmt.Sprintf("Approve **%s**, “%s”", p.ID, chat.Literal(p.Title))
	_, project, err := m.project(ctx, p.Project)
	if err != nil {
		return fmt.Sprintf("%s, of the project *%s*, which cannot be used now: %s.", what, chat.Literal(p.Project), sentence(err))
	}
	return fmt.Sprintf("%s, of the project *%s*: when it is run, models change %s. %s", what, chat.Literal(project.Name), changedFiles(p), checkedWith(project))
}

// checkedWith says how the phases of a plan are checked.
func checkedWith(project worktree.Project) string {
	if project.Verify == "" {
		return "Nothing checks that: this project has no command for it. Name one in `projects.json`."
	}
	return "After each phase I run " + chat.InCode(project.Verify) + " on this machine."
}
