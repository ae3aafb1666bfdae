package confirm

import (
	"context"
	"errors"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// Pressed handles a button of a card, pressed by a user on the allow list. It returns at
// once.
func (d *Service) Pressed(ctx context.Context, p chat.Press) {
	token, approve, ok := Button(p.Button)
	if !ok {
		return
	}
	tell := func(ctx context.Context, text string) {
		if err := d.Server.RespondEphemeral(ctx, p, text); err != nil {
			d.Log.WarnContext(ctx, "cannot answer the button", "channel", p.Place.Channel, "user", p.User.ID, "err", err)
		}
	}
	started := d.group.Go("answer to a question", func(ctx context.Context) {
		d.learn(ctx, token, p.Place.Message)
		if text := d.answer(ctx, token, p.User, p.Place, approve); text != "" {
			tell(ctx, text)
		}
	})
	if !started {
		tell(ctx, tellStopped)
	}
}

// learn stores which message a question's card is. A pressed button proves that the card
// was posted, even if the process ended before it knew.
func (d *Service) learn(ctx context.Context, token string, card chat.MessageID) {
	rec, found, err := d.questions.find(ctx, token)
	if err == nil && found && rec.card == "" {
		err = d.posted(ctx, &rec, card)
	}
	if err != nil {
		d.Log.ErrorContext(ctx, "cannot record the card of a question", "err", err)
	}
}

// Confirm approves a question by its token. It returns the reply to the approver; empty if
// the card says it all.
func (d *Service) Confirm(ctx context.Context, token string, by chat.User, at chat.Place) string {
	return d.answer(ctx, token, by, at, true)
}

// answer approves or rejects a question for a user who may do that. It returns the reply
// to the user; empty if the card says it all.
func (d *Service) answer(ctx context.Context, token string, by chat.User, at chat.Place, approve bool) string {
	rec, found, err := d.questions.find(ctx, token)
	if err != nil {
		return d.trouble(ctx, err)
	}
	// A token is valid in its own channel only: readers of another one may not know the
	// question.
	if !found || rec.Origin.Place.Channel != at.Channel {
		return tellUnknown
	}
	switch {
	case rec.state == unasked:
		return tellUnasked
	case rec.state == joined:
		return tellJoined
	case rec.state == expired, rec.state == open && !d.Now().Before(rec.expires):
		return tellExpired // the card is updated by Run
	case rec.state != open:
		return tellOver
	}
	if why := d.notTheirs(ctx, rec, by); why != nil {
		return tellNotYours(why)
	}
	return d.carryOut(ctx, rec, by, approve)
}

// notTheirs returns why a user may not answer: they are neither the requester nor have the
// rights.
func (d *Service) notTheirs(ctx context.Context, rec record, by chat.User) error {
	if by.ID == "" {
		return errors.New("I do not know who you are")
	}
	if by.ID == rec.Origin.Requester {
		return nil
	}
	asThem := rec.Origin
	asThem.Requester, asThem.Approves = by.ID, rec.Origin.Requester
	return d.live().Executor.May(ctx, asThem, rec.requests())
}

// carryOut settles the question, and executes it if it was approved. Only the first answer
// wins.
func (d *Service) carryOut(ctx context.Context, rec record, by chat.User, approve bool) string {
	d.Log.InfoContext(ctx, "question answered", "user", by.ID, "approved", approve, "channel", rec.Origin.Place.Channel, "actions", len(rec.Items))
	var first bool
	var err error
	if approve {
		first, err = d.approve(ctx, rec, by)
	} else {
		first, err = d.dismiss(ctx, rec, verdictRejected(by), "rejected by "+by.Name)
	}
	switch {
	case err != nil:
		return d.trouble(ctx, err)
	case !first:
		return tellOver
	}
	return ""
}

// approve executes a question, and reports whether this was its first answer.
func (d *Service) approve(ctx context.Context, rec record, by chat.User) (first bool, err error) {
	if first, err = d.questions.settle(ctx, rec.token, open, running, ""); err != nil || !first {
		return first, err
	}
	rec.Approver = by.ID
	outs, lines := d.do(ctx, rec)
	rec.verdict = verdictApproved(by, lines)
	d.ended(rec, Ending{How: "approved by " + by.Name, Approved: true, Outcomes: outs, lines: lines})
	// The actions are done, even if ctx was cancelled meanwhile.
	if _, err := d.questions.settle(context.WithoutCancel(ctx), rec.token, running, done, rec.verdict); err != nil {
		d.Log.ErrorContext(ctx, "cannot record the answer", "err", err)
	}
	d.show(ctx, rec)
	return true, nil
}

// dismiss settles a question without executing it, and reports whether this was its first answer.
func (d *Service) dismiss(ctx context.Context, rec record, verdict, how string) (first bool, err error) {
	if first, err = d.questions.settle(ctx, rec.token, open, rejected, verdict); err != nil || !first {
		return first, err
	}
	d.live().Observer.Dismissed(ctx, rec.Question, how)
	d.ended(rec, Ending{How: how})
	rec.verdict = verdict
	d.show(ctx, rec)
	return true, nil
}

// show writes the verdict of a question into its card, later if that fails now.
func (d *Service) show(ctx context.Context, rec record) {
	if !d.close(ctx, rec) {
		d.Wake()
	}
}

// ended tells that a card is over.
func (d *Service) ended(rec record, e Ending) {
	if d.live().Ended == nil || rec.card == "" {
		return
	}
	e.Question, e.Card = rec.Question, rec.Origin.Place
	e.Card.Message = rec.card
	d.live().Ended(e)
}

// do executes the actions of a question. The rights of the requester are checked again, as
// they may have changed.
func (d *Service) do(ctx context.Context, rec record) (outs []actions.Outcome, lines []string) {
	if err := d.live().Observer.Begin(ctx, rec.Question); err != nil {
		return nil, []string{"Failed: " + err.Error()}
	}
	from := rec.Origin
	from.Undoing = rec.Undoes != ""
	outs = d.live().Executor.Do(ctx, from, rec.requests())
	d.live().Observer.End(context.WithoutCancel(ctx), rec.Question, outs)
	return outs, outcomeLines(outs)
}

const (
	closeTime = 30 * time.Second // timeout of the update of a card
	lastWords = time.Second      // the same, during shutdown
)

// close writes the verdict of a question into its card, and reports whether that worked. If
// the card was deleted, the verdict is a new message.
func (d *Service) close(ctx context.Context, rec record) bool {
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWords, cancel) })()
	if err := d.tell(writing, rec); err != nil {
		// Run retries it. The channel itself may have been deleted.
		d.Log.WarnContext(ctx, "cannot write the verdict of a question", "channel", rec.Origin.Place.Channel, "err", err)
		return false
	}
	if err := d.questions.told(writing, rec.token); err != nil {
		d.Log.ErrorContext(ctx, "cannot record the verdict of a question", "err", err)
	}
	return true
}

// tell writes the verdict into the card, with a file if the card is too small for it, and the bot may attach one. A card whose actions
// stand on a later one is deleted.
func (d *Service) tell(ctx context.Context, rec record) error {
	if rec.state == joined {
		return d.remove(ctx, rec)
	}
	text, list := rec.ending()
	m, channel := chat.Outgoing{Text: text, Buttons: []chat.Button{}, Files: attached(list)}, rec.Origin.Place.Channel
	err := errors.New("it was never posted")
	if rec.card != "" && list != "" {
		err = d.Server.Replace(ctx, channel, rec.card, m)
	}
	if err != nil {
		m.Files, m.Text = nil, strings.Replace(text, ","+inFile, "", 1)
	}
	if rec.card != "" && err != nil {
		err = d.Server.Edit(ctx, channel, rec.card, m)
	}
	if err == nil {
		return nil
	}
	id, failed := d.Server.Send(ctx, channel, chat.Outgoing{Text: m.Text, Nonce: rec.token + ".end.0"})
	if failed != nil {
		return errors.Join(err, failed)
	}
	d.mark(rec, id)
	return nil
}

// remove deletes a card. One that may have been posted, but is not known, stays: its buttons lead to the later one.
func (d *Service) remove(ctx context.Context, rec record) error {
	if rec.card == "" {
		return nil
	}
	if err := d.Server.Delete(ctx, rec.Origin.Place.Channel, rec.card); err != nil && !chat.IsGone(err) {
		return err
	}
	return nil
}

// trouble is the reply to a database error.
func (d *Service) trouble(ctx context.Context, err error) string {
	d.Log.ErrorContext(ctx, "cannot read questions", "err", err)
	return "I cannot look this up right now, so nothing was done. Please try again later."
}

// A Waiting is a question that has no answer yet.
type Waiting struct {
	Question
	Token string
	Asked time.Time
	Card  chat.Place
}

func (r record) waiting() Waiting {
	w := Waiting{Question: r.Question, Token: r.token, Asked: r.asked, Card: r.Origin.Place}
	w.Card.Message = r.card
	return w
}

// Waiting returns the questions without an answer that were asked in a channel, and those of a user anywhere on its server.
func (d *Service) Waiting(ctx context.Context, at chat.Place, requester chat.UserID) (list []Waiting, err error) {
	records, err := d.questions.list(ctx, `state = ? AND expires > ? AND guild = ? AND (channel = ? OR requester = ?)`,
		open, d.Now().UnixMicro(), at.Guild, at.Channel, requester)
	for _, rec := range records {
		list = append(list, rec.waiting())
	}
	return list, err
}

// ErrNotWaiting is the error of a card that cannot be taken back.
var ErrNotWaiting = errors.New("no request of yours with that code is waiting for approval")

// Withdraw takes a question back for its requester. Leaving something undone needs no permission.
func (d *Service) Withdraw(ctx context.Context, token string, by chat.UserID, g chat.GuildID) (Waiting, error) {
	rec, found, err := d.questions.find(ctx, token)
	if err != nil {
		return Waiting{}, err
	}
	if !found || by == "" || rec.Origin.Requester != by || rec.Origin.Place.Guild != g || rec.state != open || !d.Now().Before(rec.expires) {
		return Waiting{}, ErrNotWaiting
	}
	first, err := d.dismiss(ctx, rec, verdictWithdrawn(by), "taken back by the person who asked")
	if err == nil && !first {
		err = ErrNotWaiting
	}
	return rec.waiting(), err
}
