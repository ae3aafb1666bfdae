package pipeline

import (
	"context"
	"errors"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/journal"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// settle settles events and deletes the recorded progress of their turn, in one transaction. If that cannot be
// written, it retries; if the bot goes down first, the resumed turn finds everything done, and settles then.
func (p *Pipeline) settle(ctx context.Context, s inbox.State, t chat.TurnID, report turn.Report, events ...inbox.EventID) {
	p.unposted.forget(t)
	if len(events) == 0 || p.trySettle(ctx, s, t, report, events...) == nil {
		return
	}
	p.bg.Go("settle", func(ctx context.Context) {
		for p.bg.Pause(ctx, RetryDelay) {
			if p.trySettle(ctx, s, t, report, events...) == nil {
				return
			}
		}
	})
}

func (p *Pipeline) trySettle(ctx context.Context, s inbox.State, t chat.TurnID, report turn.Report, events ...inbox.EventID) error {
	ctx, cancel := Writing(ctx)
	defer cancel()
	err := p.o.Inbox.Tx(ctx, func(tx *store.Tx) error {
		if err := p.o.Inbox.Settle(ctx, tx, s, events...); err != nil {
			return err
		}
		return p.settled(ctx, tx, t, report)
	})
	if err != nil {
		p.o.Log.ErrorContext(ctx, "cannot settle events", "turn", t, "err", err)
	}
	return err
}

func (p *Pipeline) requeue(ctx context.Context, unposted bool, events ...inbox.EventID) bool {
	ctx, cancel := Writing(ctx)
	defer cancel()
	requeue := p.o.Inbox.Requeue
	if unposted {
		requeue = p.o.Inbox.RequeueUnposted
	}
	err := requeue(ctx, events...)
	if err != nil {
		p.o.Log.ErrorContext(ctx, "cannot requeue events", "err", err)
	}
	return err == nil
}

// Withdraw removes the queued events about a deleted message, and reports whether there were any.
func (p *Pipeline) Withdraw(ctx context.Context, at chat.Place) bool {
	if !p.convo.Withdraw(at) {
		return false
	}
	p.o.Progress.Forget(at)
	ctx, cancel := Writing(ctx)
	defer cancel()
	if err := p.o.Inbox.Withdraw(ctx, at); err != nil {
		p.o.Log.ErrorContext(ctx, "cannot withdraw an event", "message", at.Message, "channel", at.Channel, "err", err)
	}
	return true
}

// retryLater requeues events and resumes them after RetryDelay, as the next process would: the model is not called
// again for an answer that is recorded, and nothing is done or posted twice. Unposted counts towards MaxUnposted.
func (p *Pipeline) retryLater(ctx context.Context, unposted bool, events ...inbox.EventID) {
	p.o.Log.WarnContext(ctx, "turn is requeued", "event", events[0])
	requeued := p.requeue(ctx, unposted, events...)
	// If the bot goes down first, the next start resumes it.
	p.bg.Go("retry", func(ctx context.Context) {
		for p.bg.Pause(ctx, RetryDelay) {
			if requeued = requeued || p.requeue(ctx, unposted, events...); !requeued {
				continue
			}
			list, err := p.o.Inbox.Unfinished(ctx)
			if err != nil {
				p.o.Log.ErrorContext(ctx, "cannot load unfinished events", "event", events[0], "err", err)
				continue
			}
			list = slices.DeleteFunc(list, func(e inbox.Event) bool { return !slices.Contains(events, e.ID) })
			for _, events := range byTurn(list) {
				p.resumeTurn(ctx, events)
			}
			return
		}
	})
}

// settled drops the ledger and the outbox of a turn that is over, and writes it into the journal, in the transaction that settles its
// events. The report has no ID if there is nothing to report.
func (p *Pipeline) settled(ctx context.Context, tx *store.Tx, id chat.TurnID, r turn.Report) error {
	if err := errors.Join(p.o.Ledger.Close(ctx, tx, id), p.o.Outbox.Close(ctx, tx, id)); err != nil {
		return err
	}
	if r.ID == "" || r.Command != "" { // what a command does is journalled where it is done
		return nil
	}
	for _, receipt := range r.Receipts {
		if err := p.o.Outbox.Mark(ctx, tx, r.Outside, receipt.Messages...); err != nil {
			return err
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
