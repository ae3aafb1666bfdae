package pipeline

import (
	"context"
	"errors"

	"discoclaw/internal/chat"
	"discoclaw/internal/journal"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// settled drops the ledger and the outbox of a turn that is over, and writes it into the journal, in the transaction that settles its
// events. The report has no ID if there is nothing to report.
func (p *Pipeline) settled(ctx context.Context, tx *store.Tx, id chat.TurnID, r turn.Report) error {
	if err := errors.Join(p.o.Ledger.Close(ctx, tx, id), p.o.Outbox.Close(ctx, tx, id)); err != nil {
		return err
	}
	if r.ID == "" || r.Command != "" { // what a command does is journalled where it is done
		return nil
	}
	if p.o.Taint {
		for _, receipt := range r.Receipts {
			if err := p.o.Outbox.Mark(ctx, tx, r.Outside, receipt.Messages...); err != nil {
				return err
			}
		}
	}
	return errors.Join(p.o.Journal.Turn(ctx, tx, journalled(r)), p.o.Settled(ctx, tx, r))
}

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
