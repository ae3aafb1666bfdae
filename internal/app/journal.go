package app

import (
	"context"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/flow"
	"discoclaw/internal/journal"
)

// past returns what the journal has of the turn that posted a message as a part of its answer.
func (b *Bot) past(ctx context.Context, at chat.Place) (past flow.Past, known bool, err error) {
	t, known, err := b.journal.Answered(ctx, at.Channel, at.Message)
	past = flow.Past{Turn: t.ID, Flow: t.Flow, Requester: t.Requester, Answer: t.Answers}
	for _, e := range t.Actions {
		if changes(e) {
			past.Lines = append(past.Lines, e.Line)
		}
	}
	past.Changed = len(past.Lines) > 0
	for before, goesOn := t.ID.Before(); goesOn && err == nil && !past.Changed; before, goesOn = before.Before() {
		t, _, err = b.journal.ByID(ctx, before)
		past.Changed = slices.ContainsFunc(t.Actions, changes)
	}
	return past, known, err
}

// changes reports whether an action may have changed something.
func changes(e journal.Entry) bool {
	return e.Outcome != journal.Found && e.Outcome != journal.Refused && e.Outcome != journal.Answered
}
