package confirm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/chat"
)

// Pressed is told that somebody who may steer the bot has pressed a button of a card.
// It returns at once.
func (d *Service) Pressed(ctx context.Context, p chat.Press) {
	token, approve, ok := Button(p.Button)
	if !ok {
		return
	}
	tell := func(ctx context.Context, text string) {
		if err := d.Server.RespondEphemeral(ctx, p, text); err != nil {
			d.Log.WarnContext(ctx, "nobody could be told", "channel", p.Place.Channel, "user", p.User.ID, "err", err)
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

// learn notes which message a question's card is. Whoever presses its button has seen
// it, even if the process ended before it knew.
func (d *Service) learn(ctx context.Context, token string, card chat.MessageID) {
	rec, found, err := d.questions.find(ctx, token)
	if err == nil && found && rec.card == "" {
		err = d.questions.posted(ctx, token, card)
	}
	if err != nil {
		d.Log.ErrorContext(ctx, "the card of a question was not recorded", "err", err)
	}
}

// Confirm approves a question by its token. It returns what to tell who wrote it;
// nothing if the card says it all.
func (d *Service) Confirm(ctx context.Context, token string, by chat.User, at chat.Place) string {
	return d.answer(ctx, token, by, at, true)
}

// answer takes somebody's answer, if it is theirs to give, and carries it out. It
// returns what to tell them besides what the card says.
func (d *Service) answer(ctx context.Context, token string, by chat.User, at chat.Place, approve bool) string {
	rec, found, err := d.questions.find(ctx, token)
	if err != nil {
		return d.trouble(ctx, err)
	}
	// A token is of no use in another channel: who reads there may not know what is
	// asked here.
	if !found || rec.Origin.Place.Channel != at.Channel {
		return tellUnknown
	}
	switch {
	case rec.state == unasked:
		return tellUnasked
	case rec.state == expired, rec.state == open && !time.Now().Before(rec.expires):
		return tellExpired // the card follows by itself
	case rec.state != open:
		return tellOver
	}
	if why := d.notTheirs(ctx, rec, by); why != nil {
		return tellNotYours(why)
	}
	return d.carryOut(ctx, rec, by, approve)
}

// notTheirs says why somebody may not answer: they neither asked for it nor may do it.
func (d *Service) notTheirs(ctx context.Context, rec record, by chat.User) error {
	if by.ID == "" {
		return errors.New("nobody is known to have answered")
	}
	if by.ID == rec.Origin.Requester {
		return nil
	}
	asThem := rec.Origin
	asThem.Requester = by.ID
	return d.Executor.May(ctx, asThem, rec.requests())
}

// carryOut does what the answer says. Only the first answer gets through.
func (d *Service) carryOut(ctx context.Context, rec record, by chat.User, approve bool) string {
	next, verdict := running, ""
	if !approve {
		next, verdict = rejected, verdictRejected(by)
	}
	first, err := d.questions.settle(ctx, rec.token, open, next, verdict)
	if err != nil {
		return d.trouble(ctx, err)
	}
	if !first {
		return tellOver
	}
	d.Log.InfoContext(ctx, "question answered", "user", by.ID, "approved", approve, "channel", rec.Origin.Place.Channel, "actions", len(rec.Items))
	if approve {
		verdict = verdictApproved(by, d.do(ctx, rec))
		// What was done stays done, also for those who have stopped waiting.
		if _, err := d.questions.settle(context.WithoutCancel(ctx), rec.token, running, done, verdict); err != nil {
			d.Log.ErrorContext(ctx, "answer not recorded", "err", err)
		}
	} else {
		d.Observer.Dismissed(ctx, rec.Question, "rejected by "+by.Name)
	}
	rec.verdict = verdict
	if !d.close(ctx, rec) {
		d.wake() // to try again later
	}
	return ""
}

// do carries out a question. Those who asked may have lost a right since; that is
// looked at again on the way.
func (d *Service) do(ctx context.Context, rec record) (lines []string) {
	if err := d.Observer.Begin(ctx, rec.Question); err != nil {
		return []string{"Failed: " + err.Error()}
	}
	from := rec.Origin
	from.Undoing = rec.Undoes != ""
	outs := d.Executor.Do(ctx, from, rec.requests())
	d.Observer.End(context.WithoutCancel(ctx), rec.Question, outs)
	return outcomeLines(outs)
}

const (
	closeTime = 30 * time.Second // for the end of a question to reach its card
	lastWords = time.Second      // the same, when the bot is going down already
)

// close writes the end of a question into its card, and says whether it is there. If
// the card is gone, the channel is told by itself.
func (d *Service) close(ctx context.Context, rec record) bool {
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWords, cancel) })()
	if err := d.tell(writing, rec); err != nil {
		// It is tried again. The channel itself may be what was deleted.
		d.Log.WarnContext(ctx, "the end of a question could not be told", "channel", rec.Origin.Place.Channel, "err", err)
		return false
	}
	if err := d.questions.told(writing, rec.token); err != nil {
		d.Log.ErrorContext(ctx, "the end of a question was not recorded", "err", err)
	}
	return true
}

func (d *Service) tell(ctx context.Context, rec record) error {
	chunks, channel := rec.ending(), rec.Origin.Place.Channel
	err := errors.New("it was never posted")
	if rec.card != "" {
		err = d.Server.Edit(ctx, channel, rec.card, chat.Outgoing{Text: chunks[0], Buttons: []chat.Button{}})
	}
	rest := chunks[1:]
	if err != nil {
		rest = chunks
	}
	for i, text := range rest {
		m := chat.Outgoing{Text: text, Nonce: fmt.Sprintf("%s.end.%d", rec.token, i)}
		if _, failed := d.Server.Send(ctx, channel, m); failed != nil {
			return errors.Join(err, failed)
		}
	}
	return nil
}

// trouble words a fault of the database.
func (d *Service) trouble(ctx context.Context, err error) string {
	d.Log.ErrorContext(ctx, "questions cannot be read", "err", err)
	return "The bot cannot look this up right now; its log has the details. Nothing was done."
}
