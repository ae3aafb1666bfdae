package work

import (
	"context"
	"fmt"
	"io"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/forge"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/worktree"
)

// posts are the messages of work, each of which is posted once.
func (m *Manager) posts(l *live) *outbox.Posts {
	return m.Outbox.Of(turnOf(l.Work), nil)
}

// A Press is what a button of a card asks for.
type Press struct {
	Verb Verb
	Plan doc.ID
	Hash string // of the plan that the card shows
}

// A Verb is what a button does.
type Verb string

const (
	Approve Verb = "approve"
	Revise  Verb = "revise"
	Cancel  Verb = "cancel"
	Carry   Verb = "run"
)

const cardButton = "plan:"

func button(v Verb, label string, p plan.Plan) chat.Button {
	return chat.Button{ID: fmt.Sprintf("%s%s:%s:%s", cardButton, v, p.ID, p.Hash()), Label: label, Danger: v == Cancel}
}

// ParsePress reads the ID of a button of a card.
func ParsePress(id string) (Press, bool) {
	rest, ok := strings.CutPrefix(id, cardButton)
	parts := strings.Split(rest, ":")
	if !ok || len(parts) != 3 {
		return Press{}, false
	}
	return Press{Verb(parts[0]), doc.ID(parts[1]), parts[2]}, true
}

// StopPressed stops the work whose button was pressed, and reports whether the button is one of these.
func (m *Manager) StopPressed(p chat.Press) bool {
	id, ok := strings.CutPrefix(p.Button, stopButton)
	if ok {
		m.stop(p.User.ID, func(l *live) bool { return fmt.Sprint(l.ID) == id })
	}
	return ok
}

// postCard posts a plan for people to decide about: the file, and what would be done. It returns the message, or nothing if there is none.
func (m *Manager) postCard(ctx context.Context, l *live, p plan.Plan, project worktree.Project, outcome forge.Outcome) chat.MessageID {
	ctx, cancel := writing(ctx)
	defer cancel()
	card := chat.Outgoing{Text: cardText(p, project, outcome), Files: []chat.File{fileOf(p)}, Buttons: []chat.Button{
		button(Approve, "Approve", p), button(Revise, "Revise", p), button(Cancel, "Cancel", p),
	}}
	id, err := m.posts(l).Post(ctx, "card", l.At.Channel, card)
	if err != nil {
		m.Log.WarnContext(ctx, "cannot post a plan", "plan", p.ID, "err", err)
		return ""
	}
	m.Outbox.MarkPosted(Sources(p), id)
	return id
}

// Sources are what the text of a plan may hold: what was read when it was asked for, and the words of models who have read the project, in
// which others may have written to them.
func Sources(p plan.Plan) chat.Sources {
	s := p.Outside
	s.Add(chat.Sources("the text of " + string(p.ID)))
	return s
}

// fileOf is the plan as an attachment.
func fileOf(p plan.Plan) chat.File {
	text := p.Text()
	return chat.File{Name: p.File, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

const maxNamed = 12 // files on a card

// cardText is what people decide by.
func cardText(p plan.Plan, project worktree.Project, outcome forge.Outcome) string {
	return fitting(fmt.Sprintf("%s**Audit**: %s\n-# Nothing has changed yet, and *Approve* does not start it. The whole plan is attached. To have it changed: `!forge %s <what should change>`.",
		summary(p, project), outcome, p.ID))
}

// summary says what a plan would change, and how that is checked.
func summary(p plan.Plan, project worktree.Project) string {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) } // a Builder takes everything
	say("**%s**: %s", p.ID, chat.Literal(p.Title))
	if objective, ok := p.Section(doc.Objective); ok {
		say("**Goal**: %s", chat.Literal(chat.Clip(chat.OneLine(objective), 500)))
	}
	say("**Files** in *%s*: %s", chat.Literal(project.Name), changedFiles(p))
	if project.Verify == "" {
		say("**Careful**: I know no command that checks this project, so I cannot carry the plan out. Name one in `projects.json`.")
	} else {
		say("**Check**: I run %s on my machine before the first phase and after each one.", chat.InCode(project.Verify))
	}
	say("**Where**: in a separate copy, on the branch `%s`. I do not touch the project's checkout, and merge and push nothing.", p.Branch())
	if p.Outside != "" {
		say("**Careful**: I had read %s before I was asked for this plan, so it may say what others want.", p.Outside.Phrase())
	}
	return b.String()
}

func changedFiles(p plan.Plan) string {
	list, err := p.Files()
	if err != nil {
		return "not known, so it cannot be run: " + chat.Literal(chat.Clip(err.Error(), 300))
	}
	return chat.FirstOf(list, maxNamed, chat.InCode)
}

// Overtaken shows on the card whose button was refused what was decided before: the process that did it may have been killed before it
// could show that. Cards that show another text are left alone.
func (m *Manager) Overtaken(ctx context.Context, at chat.Place, press Press) {
	p, err := m.Plans.Find(ctx, at.Guild, string(press.Plan))
	switch {
	case err != nil:
		m.Log.WarnContext(ctx, "cannot show what was decided about a plan", "plan", press.Plan, "err", err)
	case p.Hash() != press.Hash:
	case p.Status == doc.Approved:
		m.Decided(ctx, at, p.ID, ApprovedBy(p.Approver, p.ID))
	case p.Status == doc.Implementing || p.Status == doc.Closed:
		m.Decided(ctx, at, p.ID, "▶️ Started.")
	}
}

// ApprovedBy says on a card who has approved a plan.
func ApprovedBy(who chat.UserID, id doc.ID) string {
	return fmt.Sprintf("✅ Approved by %s. Start it with the button or with `!plan run %s`.", who.Mention(), id)
}

// Decided shows on the card of a plan what was decided, with the button for what may come next.
func (m *Manager) Decided(ctx context.Context, at chat.Place, id doc.ID, said string) {
	p, err := m.Plans.Find(ctx, at.Guild, string(id))
	var project worktree.Project
	if err == nil {
		_, project, err = m.project(ctx, p.Project)
	}
	if err != nil {
		m.Log.WarnContext(ctx, "cannot show what was decided about a plan", "plan", id, "err", err)
		return
	}
	buttons := []chat.Button{}
	if p.Status == doc.Approved {
		buttons = []chat.Button{button(Carry, "Run", p)}
	}
	if err := m.Server.Edit(ctx, at.Channel, at.Message,
		chat.Outgoing{Text: fitting(summary(p, project) + said), Buttons: buttons}); err != nil {
		m.Log.WarnContext(ctx, "cannot show what was decided about a plan", "plan", id, "err", err)
	}
}
