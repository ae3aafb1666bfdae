// Package undo undoes the bot's actions, after it has asked on a card.
//
// The journal has the inverses of every action, if there are any. An [Undo] finds what was
// done last in a channel, and asks about it with a card. If that cannot be undone, it says why,
// and what came before is undone only on a further request. The
// inverses are ordinary actions: they pass the same gate, and the requester needs the same
// rights as for the original ones.
package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/journal"
	"discoclaw/internal/order"
)

// An Undo undoes actions of the journal. Its questions need an [Observer].
type Undo struct {
	Journal *journal.Journal
	Confirm *confirm.Service
	NewTurn func() chat.TurnID // makes the ID of the turn that undoes
	// Holds is what a card has to say of a request that approves something itself; empty for others. Nil means that none does.
	Holds func(ctx context.Context, o actions.Origin, r actions.Request) string
	// WithoutGone replaces the mentions of channels that are gone. Nil means that there are none.
	WithoutGone func(ctx context.Context, text string) string
}

// An Observer records the progress of questions in the journal.
type Observer struct {
	Journal *journal.Journal
	Log     *slog.Logger
}

// Offer asks whether to undo the last thing that was done in the channel of a message; with earlier, the last thing before that which
// the author can undo. It returns the reply to the author; empty if the card says it all.
func (u *Undo) Offer(ctx context.Context, m chat.Message, earlier bool) (string, error) {
	ctx = chat.InRound(ctx)
	batches, err := u.Journal.Batches(ctx, m.Place.Channel)
	if err != nil {
		return "", err
	}
	if len(batches) == 0 {
		return "There is nothing in this channel that you can undo.", nil
	}
	from := actions.Origin{Flow: actions.FlowMessage, Place: m.Place, Requester: m.Author.ID, Turn: u.NewTurn()}
	if !earlier {
		last := u.look(ctx, batches[0], from)
		if len(last.Items) == 0 {
			return last.refusal(m.Author.ID) + u.firstOf(ctx, batches[1:], from).offer(), nil
		}
		return u.ask(ctx, m, last)
	}
	before := u.firstOf(ctx, batches[1:], from)
	if len(before.Items) == 0 {
		return "There is nothing before the last thing that I did here that you can undo.", nil
	}
	return u.ask(ctx, m, before)
}

// ask asks about a way back.
func (u *Undo) ask(ctx context.Context, m chat.Message, w way) (string, error) {
	q := w.Question
	q.Asker = m.Author.Name
	for i := range q.Remarks {
		if u.WithoutGone != nil {
			q.Remarks[i] = u.WithoutGone(ctx, q.Remarks[i])
		}
	}
	already, err := u.Confirm.Ask(ctx, q)
	if already != "" {
		return "I am asking you about that already: " + already, nil
	}
	return "", err
}

// firstOf is the first way back that a person can go.
func (u *Undo) firstOf(ctx context.Context, batches []journal.Batch, from actions.Origin) way {
	for _, b := range batches {
		if w := u.look(ctx, b, from); len(w.Items) > 0 {
			return w
		}
	}
	return way{}
}

// look finds what can be undone of a batch: the object of an action may have been deleted, or the requester may lack a right.
func (u *Undo) look(ctx context.Context, b journal.Batch, from actions.Origin) way {
	w := way{Question: confirm.Question{Origin: from}, turn: b.Turn}
	var numbers []string
	for _, e := range b.Stay {
		w.stay = append(w.stay, stay{Entry: e})
	}
	for _, e := range b.Undo {
		items := u.inverses(ctx, from, e)
		if err := u.Confirm.May(ctx, confirm.Question{Origin: from, Items: items}); err != nil {
			w.stay = append(w.stay, stay{e, err.Error()})
			continue
		}
		w.Items = append(w.Items, items...)
		numbers = append(numbers, slices.Repeat([]string{strconv.Itoa(e.Number)}, len(items))...)
	}
	order.By(w.stay, func(a, b stay) int { return b.Number - a.Number }) // the last one first
	w.Remarks = append(w.Remarks, fmt.Sprintf("-# From [this answer](%s), <t:%d:R>", b.Turn.Link(), b.Turn.Began.Unix()))
	for _, s := range w.stay {
		w.Remarks = append(w.Remarks, s.remark())
	}
	w.Undoes = string(b.Turn.ID) + "/" + strings.Join(numbers, ",")
	return w
}

// inverses are what undoes an action, as it stands on a card.
func (u *Undo) inverses(ctx context.Context, from actions.Origin, e journal.Entry) []actions.Pending {
	var items []actions.Pending
	for _, inverse := range e.Inverses {
		what := chat.Capital(inverse.Text) + "."
		if u.Holds != nil {
			what = cmp.Or(u.Holds(ctx, from, inverse.Request), what)
		}
		items = append(items, actions.Pending{Request: inverse.Request, What: chat.Visible(what)})
	}
	return items
}

// claims are the entries that a question would undo: the turn, and the entry number of
// each item.
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

// Begin records who approved the actions of a question. The entries that an undo is about are claimed, so that they are undone once.
func (o Observer) Begin(ctx context.Context, q confirm.Question) error {
	if q.Undoes == "" {
		o.each(ctx, q, func(r actions.Request) error { return o.Journal.Approve(ctx, q.Origin.Turn, r, q.Approver) })
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
			o.Log.ErrorContext(ctx, "cannot claim journal entries", "err", err)
			return errors.New("I cannot look up what to undo right now")
		}
		return errors.New("this was undone already")
	}
	return nil
}

// each records something about each action of a question.
func (o Observer) each(ctx context.Context, q confirm.Question, record func(actions.Request) error) {
	for _, item := range q.Items {
		if err := record(item.Request); err != nil {
			o.Log.ErrorContext(ctx, "cannot record what became of a question", "err", err)
		}
	}
}

// End releases the entries whose inverses failed, so that they can be retried, and records
// the undo as a turn.
func (o Observer) End(ctx context.Context, q confirm.Question, outs []actions.Outcome) {
	if q.Undoes == "" {
		return
	}
	turn, numbers, err := claims(q)
	if err != nil {
		o.Log.ErrorContext(ctx, "cannot record the undo", "err", err)
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
	over := journal.Turn{ID: from.Turn, Flow: from.Flow, Place: from.Place, Requester: from.Requester,
		RequesterName: q.Asker, Began: time.Now().Add(-took), Took: took}
	if err := errors.Join(o.Journal.Record(ctx, over), o.Journal.ApproveAll(ctx, from.Turn, q.Approver)); err != nil {
		o.Log.ErrorContext(ctx, "cannot record the undo", "err", err)
	}
}

// release releases claims.
func (o Observer) release(ctx context.Context, turn chat.TurnID, numbers []int) {
	for _, n := range numbers {
		if err := o.Journal.Release(ctx, turn, n); err != nil {
			o.Log.ErrorContext(ctx, "cannot release a journal entry", "err", err)
		}
	}
}

// Dismissed records that the actions of a question will not run.
func (o Observer) Dismissed(ctx context.Context, q confirm.Question, why string) {
	if q.Undoes == "" { // of an undo, nothing is claimed before Begin
		o.each(ctx, q, func(r actions.Request) error { return o.Journal.Dismiss(ctx, q.Origin.Turn, r, why) })
	}
}

// Interrupted records that the outcome of approved actions is unknown.
func (o Observer) Interrupted(ctx context.Context, q confirm.Question) {
	if q.Undoes != "" {
		o.interrupted(ctx, q)
		return
	}
	o.each(ctx, q, func(r actions.Request) error { return o.Journal.Interrupt(ctx, q.Origin.Turn, r) })
}

// interrupted releases the entries that are not certain to be undone, by the journal of the
// inverses. The card asks to check before another undo.
func (o Observer) interrupted(ctx context.Context, q confirm.Question) {
	turn, numbers, err := claims(q)
	if err != nil {
		o.Log.ErrorContext(ctx, "cannot release journal entries", "err", err)
		return
	}
	ran, err := o.Journal.Ran(ctx, q.Origin.Turn)
	if err != nil {
		o.Log.ErrorContext(ctx, "cannot release journal entries", "err", err)
		return
	}
	free := slices.Compact(slices.Clone(numbers[min(ran, len(numbers)):]))
	o.release(ctx, turn, free)
}

// A way is a way back from a batch: the question about what can be undone, and what cannot. Without items there is none.
type way struct {
	confirm.Question
	turn journal.Turn
	stay []stay
}

// A stay is an action that cannot be undone.
type stay struct {
	journal.Entry
	why string // empty if it has no inverse
}

// what is what was done, in one line.
func (s stay) what() string {
	return chat.Clip(chat.OneLine(strings.TrimPrefix(s.Line, "Done: ")), 200)
}

// String is what was done, and a sentence on why it stays so.
func (s stay) String() string {
	return s.what() + ". " + chat.Capital(cmp.Or(s.why, "there is no way back from that")) + "."
}

// remark is the same for a card about other actions.
func (s stay) remark() string {
	if s.why == "" {
		return "-# Can't be undone: " + s.what()
	}
	return fmt.Sprintf("-# Can't be undone: %s (%s)", s.what(), s.why)
}

// maxNamed is how many actions a reply names.
const maxNamed = 5

// refusal names what cannot be undone, and says why.
func (w way) refusal(reader chat.UserID) string {
	whose := ""
	if who := w.turn.Requester; who != "" && who != reader {
		whose = " for " + who.Mention()
	}
	if len(w.stay) == 1 {
		return fmt.Sprintf("You can't undo the last thing that I did here%s: %s", whose, w.stay[0])
	}
	var lines []string
	for _, s := range w.stay {
		lines = append(lines, s.String())
	}
	return fmt.Sprintf("You can't undo the last things that I did here%s:\n%s", whose, named(lines))
}

// offer names what an earlier undo would do.
func (w way) offer() string {
	var lines []string
	for _, item := range w.Items {
		lines = append(lines, item.What)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\nBefore that I did something that can be undone. `!undo earlier` asks you about this:\n" + named(lines)
}

// named is a list of the first few of some lines.
func named(lines []string) string {
	more := len(lines) - maxNamed
	if more > 0 {
		lines = append(lines[:maxNamed:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return "- " + strings.Join(lines, "\n- ")
}
