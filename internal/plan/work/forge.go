package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/forge"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/worktree"
)

// Draft makes a plan that people fill in.
func (m *Manager) Draft(ctx context.Context, o Order) (plan.Plan, error) {
	project, err := m.forForge(ctx, o.Project)
	if err != nil {
		return plan.Plan{}, err
	}
	return m.Plans.Create(ctx, plan.Draft{
		Description: o.Description, Context: o.Context, Project: project.Name,
		Guild: o.At.Guild, Channel: o.At.Channel, Author: o.Requester, Outside: o.Outside, Dedupe: o.Dedupe,
	})
}

// Forge has a plan drafted and audited: a new one, or with a Ref one that is there.
func (m *Manager) Forge(ctx context.Context, o Order) (plan.Plan, error) {
	if o.Ref != "" {
		p, err := m.Plans.Find(ctx, o.At.Guild, o.Ref)
		if err != nil {
			return p, err
		}
		if _, err := m.forForge(ctx, p.Project); err != nil {
			return p, err
		}
		return m.begin(ctx, o, p.ID, plan.Forging, asked{Wish: o.Wish, Context: o.Context, Waits: o.Waits})
	}
	if forge.Vague(o.Description) && o.Context == "" {
		return plan.Plan{}, forge.ErrVague
	}
	if w, busy, err := m.Plans.Leased(ctx, plan.Forging); err != nil || busy && (o.Dedupe == "" || w.Dedupe != o.Dedupe) {
		return plan.Plan{}, errors.Join(err, &plan.BusyError{With: w}) // before a plan is made for nothing
	}
	p, err := m.Draft(ctx, o)
	if err != nil {
		return p, err
	}
	return m.begin(ctx, o, p.ID, plan.Forging, asked{Description: o.Description, Context: o.Context, Waits: o.Waits})
}

// Audit has a plan audited once, as it is.
func (m *Manager) Audit(ctx context.Context, o Order) (plan.Plan, error) {
	p, err := m.Plans.Find(ctx, o.At.Guild, o.Ref)
	if err != nil {
		return p, err
	}
	if _, err := m.forForge(ctx, p.Project); err != nil {
		return p, err
	}
	return m.begin(ctx, o, p.ID, plan.Forging, asked{Audit: true})
}

// forge drafts, audits and revises a plan, and asks for its approval.
func (m *Manager) forge(ctx context.Context, l *live, p plan.Plan) {
	var what asked
	var state forge.State
	if err := errors.Join(json.Unmarshal(l.Asked, &what), decode(l.State, &state)); err != nil {
		m.giveUp(ctx, l, err)
		return
	}
	head := "🛠️ Working on " + l.title
	s := m.open(ctx, l, head, p.Heartbeat(m.Heartbeat))
	tell := func(now forge.Progress) {
		if now.Step != forge.Done {
			m.note(l, now.String())
			s.show(head + "\n" + now.String() + " …")
		}
	}
	project, err := m.forForge(ctx, p.Project)
	var outcome forge.Outcome
	if err == nil {
		outcome, err = m.forging(ctx, l, p, project, what, state, tell)
	}
	m.forged(ctx, l, s, what, outcome, err)
}

// forging runs the loop of forge.
func (m *Manager) forging(ctx context.Context, l *live, p plan.Plan, project worktree.Project, what asked,
	state forge.State, tell func(forge.Progress)) (forge.Outcome, error) {
	template, err := m.Plans.Template()
	if err != nil {
		return forge.Outcome{}, err
	}
	w := forge.Work{
		Description: what.Description, Context: what.Context, Wish: what.Wish, Template: template, State: state,
		Project: forge.Project{Name: project.Name, Dir: project.Dir, Verify: project.Verify, Guide: guide(project)},
	}
	if w.Description == "" {
		w.Description = p.Title
	}
	f := forge.New(forge.Options{Ask: m.host.Model(l.Work), Rounds: m.Rounds, Timeout: m.ForgeTime, Now: m.Now, Log: m.Log})
	store := forgeStore{m, l}
	if what.Audit {
		return f.Audit(ctx, w, store, tell)
	}
	return f.Run(ctx, w, store, tell)
}

const maxGuide = 12 << 10

// guide is what a project says to those who work on it.
func guide(p worktree.Project) string {
	list, err := worktree.ReadIn(p.Dir, []string{".context/project.md", "AGENTS.md", "CONTRIBUTING.md"}, maxGuide)
	if err != nil {
		return "" // models can look themselves
	}
	var texts []string
	for _, f := range list {
		if f.Text != "" {
			texts = append(texts, f.Path+":\n"+f.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// forged ends a forge. The card is posted first: after a crash it is found again, while nothing would post one for work that is over.
func (m *Manager) forged(ctx context.Context, l *live, s *screen, what asked, outcome forge.Outcome, err error) {
	if by, ok := stopped(ctx); ok {
		to := doc.Cancelled
		if what.Audit {
			to = ""
		}
		said := fmt.Sprintf("🛑 %s stopped the work on %s. `!forge %s` goes on with it.", by.By, l.title, l.Plan)
		m.finish(ctx, l, s, plan.Ending{To: to, Outcome: "stopped", Said: said})
		return
	}
	if ctx.Err() != nil {
		s.close(ctx, pausedText(l))
		return
	}
	if err != nil {
		m.Log.ErrorContext(ctx, "forge failed", "plan", l.Plan, "err", err)
		said := fmt.Sprintf("❌ The work on %s failed: %s. What there is so far is kept; `!forge %s` goes on with it.", l.title, sentence(err), l.Plan)
		m.finish(ctx, l, s, plan.Ending{Outcome: "failed", Said: said})
		return
	}
	m.reviewed(ctx, l, s, what, outcome)
}

// reviewed shows a plan whose forge came to an end.
func (m *Manager) reviewed(ctx context.Context, l *live, s *screen, what asked, outcome forge.Outcome) {
	p, err := m.Plans.Find(ctx, l.At.Guild, string(l.Plan))
	if err != nil {
		m.giveUp(ctx, l, err)
		return
	}
	to := doc.Review
	switch {
	case outcome.Reason == forge.Undrafted:
		to = ""
	case what.Audit:
		to = ""
	}
	mark := "✅"
	if outcome.Reason != forge.Clean {
		mark = "⚠️"
	}
	l.title = bold(p) // which forging may change
	if outcome.Reason != forge.Undrafted {
		m.postCard(ctx, l, p, outcome)
	}
	auto := m.AutoImplement && !what.Audit && !what.Waits && outcome.Reason == forge.Clean && outcome.Warning == "" &&
		l.Outside == "" && p.Outside == ""
	p, ok := m.finish(ctx, l, s, plan.Ending{To: to, Outcome: string(outcome.Reason),
		Said: fmt.Sprintf("%s %s", mark, forgeEnd(l, what, outcome, auto))})
	if ok && !what.Audit {
		m.learned(ctx, l.Work, fmt.Sprintf("forged %s, %s: %s", p.ID, p.Title, outcome))
	}
	if ok && auto {
		m.implement(ctx, l, p)
	}
}

// forgeEnd says how forging ended. What the audit found stands on the card.
func forgeEnd(l *live, what asked, outcome forge.Outcome, auto bool) string {
	switch {
	case what.Audit, outcome.Reason == forge.Undrafted:
		return fmt.Sprintf("%s: %s", l.title, outcome)
	case auto:
		return l.title + " is written and audited. It is carried out at once, as `FORGE_AUTO_IMPLEMENT` says."
	case outcome.Reason == forge.Clean:
		return l.title + " is written and audited. An operator decides about it below."
	}
	return l.title + " is written, but the audit found something that a person has to decide about: see below."
}

// implement approves and runs a plan that came out of forge without an objection, where operators have switched that on.
func (m *Manager) implement(ctx context.Context, l *live, p plan.Plan) {
	_, err := m.Plans.Approve(ctx, p.Guild, string(p.ID), p.Hash(), l.Requester)
	if err == nil {
		_, _, err = m.Start(ctx, Order{Ref: string(p.ID), At: l.At, Requester: l.Requester, Prompters: l.Prompters,
			Job: l.Job, Dedupe: fmt.Sprintf("after/%d", l.ID)})
	}
	if err != nil {
		m.Log.WarnContext(ctx, "a plan was not run after its forge", "plan", p.ID, "err", err)
	}
}

// note keeps how work stands, for people who ask.
func (m *Manager) note(l *live, doing string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l.doing = doing
}

func pausedText(l *live) string {
	return fmt.Sprintf("⏸️ I went offline while I worked on %s. I go on with it when I am back.", l.title)
}

func decode(data json.RawMessage, into any) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, into)
}

// A forgeStore is a plan as forge works on it.
type forgeStore struct {
	m *Manager
	l *live
}

func (s forgeStore) Load(ctx context.Context) (doc.Doc, error) {
	p, err := s.m.load(ctx, s.l)
	return p.Doc, err
}

func (s forgeStore) Update(ctx context.Context, change func(doc.Doc) (string, forge.State, error)) error {
	_, err := s.m.Plans.Rewrite(ctx, s.l.Work, func(now doc.Doc) (string, []byte, error) {
		text, state, err := change(now)
		if err != nil {
			return "", nil, err
		}
		data, err := json.Marshal(state)
		return text, data, err
	})
	return err
}
