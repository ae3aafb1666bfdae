package app

import (
	"context"

	"discoclaw/internal/chat"
	"discoclaw/internal/flow"
	"discoclaw/internal/journal"
)

// past returns what the journal has of the turn that posted a message as a part of its answer.
func (b *Bot) past(ctx context.Context, at chat.Place) (past flow.Past, known bool, err error) {
	t, known, err := b.journal.Answered(ctx, at.Channel, at.Message)
	past = flow.Past{Turn: t.ID, Requester: t.Requester, Answer: t.Answers}
	for _, e := range t.Actions {
		switch e.Outcome {
		case journal.Found, journal.Refused, journal.Answered:
		default:
			past.Changed, past.Lines = true, append(past.Lines, e.Line)
		}
	}
	return past, known, err
}
