package work

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/due"
	"discoclaw/internal/forge"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
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
func (m *Manager) StopPressed(p chat.Press) (isStop, stopped bool) {
	id, ok := strings.CutPrefix(p.Button, stopButton)
	return ok, ok && m.stop(p.User.ID, func(l *live) bool { return fmt.Sprint(l.ID) == id }) > 0
}

// postCard posts a plan for people to decide about, unless that was done before.
func (m *Manager) postCard(ctx context.Context, l *live, p plan.Plan, outcome forge.Outcome) {
	ctx, cancel := writing(ctx)
	defer cancel()
	w := l.Work
	w.Card = &plan.Card{Version: p.Hash(), Audit: outcome.String()}
	w.Card.Shown = key(w, p, false, false, m.Plans.IsDropped(ctx, p))
	card := m.undecided(ctx, w, p)
	card.Files = []chat.File{fileOf(p)}
	var err error
	if w.Card.Message, err = m.posts(l).Post(ctx, "card", l.At.Channel, card); err == nil {
		m.Outbox.MarkPosted(Sources(p), w.Card.Message)
		err = m.Plans.SetCard(ctx, w, w.Card)
	}
	if err != nil {
		m.Log.WarnContext(ctx, "cannot post a plan", "plan", p.ID, "err", err)
	}
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

// undecided is a card on which people can decide.
func (m *Manager) undecided(ctx context.Context, w plan.Work, p plan.Plan) chat.Outgoing {
	said := fmt.Sprintf("**Audit**: %s\n-# Nothing has changed yet, and *Approve* does not start it. The whole plan is attached. To have it changed: `!forge %s <what should change>`.",
		w.Card.Audit, p.ID)
	return m.card(ctx, p, said, button(Approve, "Approve", p), button(Revise, "Revise", p), button(Cancel, "Cancel", p))
}

// card says what a plan would change, how that is checked, and what has become of the plan.
func (m *Manager) card(ctx context.Context, p plan.Plan, said string, buttons ...chat.Button) chat.Outgoing {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) } // a Builder takes everything
	say("%s", bold(p))
	if objective, ok := p.Section(doc.Objective); ok {
		say("**Goal**: %s", chat.Literal(chat.Clip(chat.OneLine(objective), 500)))
	}
	project, missing := m.Runnable(ctx, p)
	if missing != nil {
		say("**Careful**: %s, so I cannot carry it out.", chat.Capital(sentence(missing)))
	} else {
		say("**Files** in *%s*: %s", chat.Literal(project.Name), changedFiles(p))
		say("**Check**: I run %s on my machine before the first phase and after each one.", chat.InCode(project.Verify))
		say("**Where**: in a separate copy, on the branch `%s`. I do not touch the project's checkout, and merge and push nothing.", p.Branch())
	}
	if p.Outside != "" {
		say("**Careful**: I had read %s before I was asked for this plan, so it may say what others want.", p.Outside.Phrase())
	}
	return chat.Outgoing{Text: fitting(b.String() + said), Buttons: append([]chat.Button{}, buttons...)}
}

// bold is a plan by its title.
func bold(p plan.Plan) string { return "**" + chat.Literal(p.Title) + "**" }

func changedFiles(p plan.Plan) string {
	list, err := p.Files()
	if err != nil {
		return "not known, so it cannot be run: " + chat.Literal(chat.Clip(err.Error(), 300))
	}
	return chat.FirstOf(list, maxNamed, chat.InCode)
}

// keepCards has all cards show what has become of their plans. It returns when to look again: people edit files, and close tasks.
func (m *Manager) keepCards(ctx context.Context) (next time.Time, err error) {
	carded, err := m.Plans.Carded(ctx)
	if err != nil || len(carded) == 0 {
		return next, err
	}
	doing, err := m.Plans.Unfinished(ctx)
	for i, w := range carded {
		same := func(other plan.Work) bool { return other.Plan == w.Plan && other.ID != w.ID }
		m.keepCard(ctx, w, slices.ContainsFunc(carded[i+1:], same), slices.ContainsFunc(doing, same))
	}
	return m.Now().Add(due.Poll), err
}

// keepCard has a card show what has become of its plan: of which there may be a newer card, and on which models may be at work.
func (m *Manager) keepCard(ctx context.Context, w plan.Work, isOld, isBusy bool) {
	p, err := m.Plans.Find(ctx, w.At.Guild, string(w.Plan))
	if err != nil {
		m.Log.DebugContext(ctx, "cannot look at the plan of a card", "plan", w.Plan, "err", err)
		return
	}
	if p.Status != doc.Implementing && m.isCarriedOut(p.ID) {
		return // the run tells first how it ended
	}
	isDropped := m.Plans.IsDropped(ctx, p)
	shown := key(w, p, isOld, isBusy, isDropped)
	if shown == w.Card.Shown {
		return
	}
	err = m.Server.Edit(ctx, w.At.Channel, w.Card.Message, m.become(ctx, w, p, isOld, isBusy, isDropped))
	if err != nil && !chat.IsPermanent(err) {
		m.Log.WarnContext(ctx, "cannot show what has become of a plan", "plan", w.Plan, "err", err)
		return
	}
	w.Card.Shown = shown
	if isOld || p.Status == doc.Closed {
		w.Card = nil
	}
	if err := m.Plans.SetCard(ctx, w, w.Card); err != nil {
		m.Log.WarnContext(ctx, "cannot note what a card shows", "plan", w.Plan, "err", err)
	}
}

// isCarriedOut reports whether a run of a plan is under way. It wakes the keeper of cards at its end.
func (m *Manager) isCarriedOut(id doc.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.live {
		if l.Plan == id && l.Kind == plan.Running {
			return true
		}
	}
	return false
}

// key is all that a card says of what has become of its plan, without naming people: it is kept.
func key(w plan.Work, p plan.Plan, isOld, isBusy, isDropped bool) string {
	status := p.Status
	if status == doc.Draft {
		status = doc.Review // which it becomes as soon as its card is posted
	}
	return fmt.Sprint(status, p.Decider != "", p.Approved != "", w.Card.Version == p.Hash(), isOld, isBusy, isDropped)
}

// become is a card that says what has become of its plan, with the buttons for what may come next.
func (m *Manager) become(ctx context.Context, w plan.Work, p plan.Plan, isOld, isBusy, isDropped bool) chat.Outgoing {
	by := ""
	if p.Decider != "" { // who was erased is not named
		by = " by " + p.Decider.Mention()
	}
	switch {
	case isOld:
		return chat.Outgoing{Text: bold(p) + "\n↪️ There is a newer card for this plan.", Buttons: []chat.Button{}}
	case p.Status == doc.Closed && p.Approved != "":
		return m.card(ctx, p, fmt.Sprintf("✅ Approved%s, and carried out.", by))
	case p.Status == doc.Closed:
		return m.card(ctx, p, fmt.Sprintf("🛑 Closed%s.", by))
	case w.Card.Version != p.Hash() && isBusy:
		return chat.Outgoing{Text: bold(p) + "\n✏️ This version is being revised. The new one comes on a card of its own.", Buttons: []chat.Button{}}
	case w.Card.Version != p.Hash():
		said := fmt.Sprintf("\n✏️ The plan has changed since. `!plan show %s` shows it as it is now, and `!plan approve %[1]s` approves that.", p.ID)
		return chat.Outgoing{Text: bold(p) + said, Buttons: []chat.Button{}}
	case p.Status == doc.Implementing:
		return m.card(ctx, p, fmt.Sprintf("▶️ Approved%s, and being carried out.", by))
	case isBusy:
		return m.card(ctx, p, "✏️ Models are working on it again.")
	case p.Status == doc.Cancelled:
		return m.card(ctx, p, fmt.Sprintf("🛑 Set aside%s. `!forge %s` takes it up again.", by, p.ID))
	case isDropped:
		return m.card(ctx, p, fmt.Sprintf("🛑 Its task was closed. `!plan approve %s` approves it nevertheless, and `!plan close %[1]s` closes it, too.", p.ID))
	case p.Status == doc.Approved:
		if _, err := m.Runnable(ctx, p); err != nil {
			return m.card(ctx, p, fmt.Sprintf("✅ Approved%s.", by))
		}
		return m.card(ctx, p, fmt.Sprintf("✅ Approved%s. Start it with the button or with `!plan run %s`.", by, p.ID), button(Carry, "Run", p))
	}
	return m.undecided(ctx, w, p)
}
