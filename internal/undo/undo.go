// Package undo takes back what the bot has done.
//
// The journal knows for every action what would take it back, if anything would. An
// [Undo] finds the latest turn of a channel with something to take back, and asks
// about it with a card. The way back is made of ordinary actions: they pass the same
// gate, and who asks for it needs the same rights as for doing it the first time.
package undo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/journal"
)

// An Undo takes back what the journal has. The questions that it asks need an [Observer].
type Undo struct {
	Journal *journal.Journal
	Confirm *confirm.Service
	NewTurn func() chat.TurnID // names the turn of the way back
}

// An Observer writes into the journal what becomes of questions.
type Observer struct {
	Journal *journal.Journal
	Log     *slog.Logger
}

// Offer asks whether to take back the latest thing in the channel of a message that can
// be. It returns what to tell who wrote it; nothing if the card says it all.
func (u *Undo) Offer(ctx context.Context, m chat.Message) (string, error) {
	batches, err := u.Journal.Undoable(ctx, m.Place.Channel)
	if err != nil {
		return "", err
	}
	for _, batch := range batches {
		from := actions.Origin{Flow: actions.FlowMessage, Place: m.Place, Requester: m.Author.ID, Turn: u.NewTurn()}
		q, why := u.question(ctx, batch, from)
		if why != nil {
			return fmt.Sprintf("The last thing that I could undo here is not yours to undo: %s.", why), nil
		}
		if len(q.Items) > 0 {
			q.Asker = m.Author.Name
			already, err := u.Confirm.Ask(ctx, q)
			if already != "" {
				return "You are asked about that already: " + already, nil
			}
			return "", err
		}
	}
	return "There is nothing in this channel that I could undo. What I can take back are names, topics, places, tags, roles, pins, nicknames, what is archived, and what I made.", nil
}

// question is the way back as a question, as far as there still is one: what an action
// was about may be gone. The error says that who asks lacks a right for it.
func (u *Undo) question(ctx context.Context, b journal.Batch, from actions.Origin) (confirm.Question, error) {
	q := confirm.Question{Origin: from}
	var numbers []string
	stay := b.Stay
	for _, e := range b.Undo {
		var items []actions.Pending
		for _, inverse := range e.Inverses {
			items = append(items, actions.Pending{Request: inverse.Request, What: chat.Capital(inverse.Text) + "."})
		}
		err := u.Confirm.May(ctx, confirm.Question{Origin: from, Items: items})
		if denied := (*access.Denied)(nil); errors.As(err, &denied) {
			return q, err
		}
		if err != nil {
			stay = append(stay, e)
			continue
		}
		q.Items = append(q.Items, items...)
		numbers = append(numbers, slices.Repeat([]string{strconv.Itoa(e.Number)}, len(items))...)
	}
	q.Remarks = append(q.Remarks, fmt.Sprintf("It was done <t:%d:R>: %s", b.Turn.Began.Unix(), b.Turn.Link()))
	for _, e := range stay {
		q.Remarks = append(q.Remarks, "Cannot be undone: "+chat.Literal(chat.Clip(strings.TrimPrefix(e.Line, "Done: "), 200)))
	}
	q.Undoes = string(b.Turn.ID) + "/" + strings.Join(numbers, ",")
	return q, nil
}

// claims are the entries that a question would take back: the turn, and the number of
// the entry behind each item.
func claims(q confirm.Question) (turn chat.TurnID, numbers []int, err error) {
	id, list, _ := strings.Cut(q.Undoes, "/")
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return "", nil, fmt.Errorf("read what is to be undone: %w", err)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) != len(q.Items) {
		return "", nil, errors.New("what is to be undone does not fit its card")
	}
	return chat.TurnID(id), numbers, nil
}

// Begin makes sure that nobody else takes the same back.
func (o Observer) Begin(ctx context.Context, q confirm.Question) error {
	if q.Undoes == "" {
		return nil
	}
	turn, numbers, err := claims(q)
	if err != nil {
		return err
	}
	var ours []int
	for _, n := range slices.Compact(slices.Clone(numbers)) {
		claimed, err := o.Journal.Claim(ctx, turn, n)
		if err == nil && claimed {
			ours = append(ours, n)
			continue
		}
		o.release(context.WithoutCancel(ctx), turn, ours)
		if err != nil {
			o.Log.ErrorContext(ctx, "journal cannot be read", "err", err)
			return errors.New("the journal cannot be read; the bot's log has the details")
		}
		return errors.New("this was undone already; nothing was done")
	}
	return nil
}

// End lets what could not be taken back be tried again, and writes the way back down
// as a turn.
func (o Observer) End(ctx context.Context, q confirm.Question, outs []actions.Outcome) {
	if q.Undoes == "" {
		return
	}
	turn, numbers, err := claims(q)
	if err != nil {
		o.Log.ErrorContext(ctx, "undo not recorded", "err", err)
		return
	}
	var failed []int
	for i, out := range outs {
		if !out.Done() && !slices.Contains(failed, numbers[i]) {
			failed = append(failed, numbers[i])
		}
	}
	o.release(ctx, turn, failed)
	from := q.Origin
	took := time.Duration(0)
	for _, out := range outs {
		took += out.Took
	}
	over := journal.Turn{ID: from.Turn, Flow: from.Flow, Place: from.Place, Requester: from.Requester, RequesterName: q.Asker, Began: time.Now().Add(-took), Took: took}
	if err := o.Journal.Record(ctx, over); err != nil {
		o.Log.ErrorContext(ctx, "undo not recorded", "err", err)
	}
}

// release gives claims back.
func (o Observer) release(ctx context.Context, turn chat.TurnID, numbers []int) {
	for _, n := range numbers {
		if err := o.Journal.Release(ctx, turn, n); err != nil {
			o.Log.ErrorContext(ctx, "undo not recorded", "err", err)
		}
	}
}

// Dismissed writes down that a question came to nothing.
func (o Observer) Dismissed(ctx context.Context, q confirm.Question, why string) {
	if q.Undoes != "" {
		return // what was to be taken back is claimed only by Begin
	}
	for _, item := range q.Items {
		if err := o.Journal.Dismiss(ctx, q.Origin.Turn, item.Request, why); err != nil {
			o.Log.ErrorContext(ctx, "answer not recorded", "err", err)
		}
	}
}

// Interrupted writes down that nobody knows how far something came that was agreed to.
func (o Observer) Interrupted(ctx context.Context, q confirm.Question) {
	if q.Undoes != "" {
		o.interrupted(ctx, q)
		return
	}
	for _, item := range q.Items {
		if err := o.Journal.Interrupt(ctx, q.Origin.Turn, item.Request); err != nil {
			o.Log.ErrorContext(ctx, "answer not recorded", "err", err)
		}
	}
}

// interrupted lets be tried again what is not certain to be done: the journal has what
// is. Somebody looks before they ask again, as the card says.
func (o Observer) interrupted(ctx context.Context, q confirm.Question) {
	turn, numbers, err := claims(q)
	if err != nil {
		o.Log.ErrorContext(ctx, "undo not recorded", "err", err)
		return
	}
	ran, err := o.Journal.Ran(ctx, q.Origin.Turn)
	if err != nil {
		o.Log.ErrorContext(ctx, "undo not recorded", "err", err)
		return
	}
	free := slices.Compact(slices.Clone(numbers[min(ran, len(numbers)):]))
	o.release(ctx, turn, free)
}
