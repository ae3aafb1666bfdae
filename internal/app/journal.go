package app

import (
	"context"

	"discoclaw/internal/chat"
	"discoclaw/internal/flow"
	"discoclaw/internal/journal"
	"discoclaw/internal/turn"
)

// journalled converts the report of a turn into its journal entry.
func journalled(t turn.Report) journal.Turn {
	entry := journal.Turn{
		ID:            t.ID,
		Flow:          t.Origin.Flow,
		Place:         t.Origin.Place,
		Requester:     t.Origin.Requester,
		RequesterName: t.By.Name,
		Began:         t.Began,
		Took:          t.Took,
		Model:         t.Result.Model.String(),
		Requests:      t.Requests,
		Batched:       t.Batched,
	}
	if t.Err != nil {
		entry.Error = t.Err.Error()
	}
	for _, r := range t.Result.Receipts {
		entry.Answers = append(entry.Answers, r.Messages...)
	}
	for i, r := range t.Result.Rounds {
		entry.InputTokens += r.Usage.Input
		entry.OutputTokens += r.Usage.Output
		entry.Malformed += len(r.Malformed)
		for _, name := range r.Stripped {
			v := t.Gate.Verdict(name)
			entry.Stripped = append(entry.Stripped, journal.Stripped{Type: name, Reason: v.Why, Remedy: v.Remedy})
		}
		if i == len(t.Result.Rounds)-1 { // the last prompt includes the others
			for _, s := range r.Prompt {
				entry.Sections = append(entry.Sections, journal.Section{Name: s.Name, Bytes: s.Bytes})
			}
		}
	}
	return entry
}

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
