// Package confirm asks for approval on a card before actions that cannot be undone, and before others that are held.
//
// A [Service] holds the destructive actions of a turn until they are approved. It posts
// one card for all of them, with two buttons, and takes an answer from the requester,
// from a user with the same rights or, where none is needed, from an operator. Then the actions run exactly as they stood on the
// card, once, and their outcomes are written into the card. A question expires after ten
// minutes.
//
// Open questions are in the database, so that they survive a restart. A question that was
// being executed when the process ended is never resumed: the card says that its outcome
// has to be checked.
package confirm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/due"
	"discoclaw/internal/store"
)

// questionTTL is how long a question stays open.
const questionTTL = 10 * time.Minute

// A Server is the part of Discord that the service needs.
type Server interface {
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	Edit(ctx context.Context, ch chat.ChannelID, id chat.MessageID, m chat.Outgoing) error
	// Replace is Edit for a message with files.
	Replace(ctx context.Context, ch chat.ChannelID, id chat.MessageID, m chat.Outgoing) error
	Delete(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error
	// RespondEphemeral answers a pressed button with an ephemeral message.
	RespondEphemeral(ctx context.Context, p chat.Press, text string) error
}

// An Executor executes approved actions.
type Executor interface {
	// May returns why the origin's requester may not do one of these, or nil if they may do
	// them all.
	May(ctx context.Context, o actions.Origin, reqs []actions.Request) error
	// Do executes them as they are.
	Do(ctx context.Context, o actions.Origin, reqs []actions.Request) []actions.Outcome
}

// Options are the dependencies of a Service.
type Options struct {
	DB     *store.DB
	Server Server
	Log    *slog.Logger
	Now    func() time.Time // nil means time.Now
	Token  func() string    // makes the token of a question; nil means a random one
	// Mark records the outside texts that were read before a message was written. It may be nil.
	Mark func(of chat.Sources, m chat.MessageID)
}

// Live is what a Service needs to take answers.
type Live struct {
	Executor Executor     // executes approved actions
	Observer Observer     // gets the progress of questions
	Ended    func(Ending) // is called with a card that is over; may be nil
}

// An Ending is how a card ended.
type Ending struct {
	Question
	Card     chat.Place
	How      string            // such as "rejected by ada"
	Approved bool              // its actions were begun
	Outcomes []actions.Outcome // of its items, in their order; none if they were not begun, or were interrupted
	lines    []string
}

// What says what the card asked about.
func (e Ending) What() string {
	var what []string
	for _, item := range e.Items {
		what = append(what, item.Plain())
	}
	return strings.Join(what, " ")
}

// Told is How with what came of the actions.
func (e Ending) Told() string {
	if e.lines == nil {
		return e.How
	}
	return e.How + " (" + strings.Join(e.lines, "; ") + ")"
}

// An Observer is notified of the progress of questions.
type Observer interface {
	// Begin is called after the approval, before any action. An error prevents the actions.
	Begin(ctx context.Context, q Question) error
	// End is called with the outcomes.
	End(ctx context.Context, q Question, outs []actions.Outcome)
	// Dismissed is called when the actions will not run, with the reason.
	Dismissed(ctx context.Context, q Question, why string)
	// Interrupted is called if the process ended after Begin and before End.
	Interrupted(ctx context.Context, q Question)
}

// A Service asks for approval. Its methods are safe for concurrent use. Questions can be
// held as soon as the database is open; answers are taken while Run runs.
type Service struct {
	Options
	questions questions
	group     *background.Group
	loop      *due.Loop
	running   chan struct{} // closed by Run, which has set live
	given     Live
}

// New returns a service on the questions in the database.
func New(o Options) *Service {
	if o.Token == nil {
		o.Token = randomToken
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.DB.Retain("questions", "expires", keepFor, fmt.Sprintf("state IN ('%s', '%s')", open, running))
	o.DB.OnRestore("questions", afterRestore)
	return &Service{Options: o, questions: questions{o.DB, o.Now}, group: background.New(o.Log),
		loop: due.NewLoop("questions", o.Now, o.Log), running: make(chan struct{})}
}

// live returns what Run was called with, and waits for that.
func (d *Service) live() Live {
	<-d.running
	return d.given
}

// Close waits for actions that are being executed, until ctx ends.
func (d *Service) Close(ctx context.Context) error { return d.group.Close(ctx) }

// randomToken has eight digits, few enough to type.
func randomToken() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// A Question is about actions that need approval.
type Question struct {
	Origin  actions.Origin
	Asker   string // the name of the origin's requester, if it is known
	Items   []actions.Pending
	Remarks []string // for the card
	Undoes  string   // names the turn that it would undo, for the card; empty for other questions
	// Approver is set for an Observer's Begin and End. It is not stored with the question.
	Approver chat.UserID
}

// Hold asks about actions of a reply. What earlier replies of its turn have asked about joins them on one card, unless that was answered.
func (d *Service) Hold(ctx context.Context, o actions.Origin, held []actions.Pending) error {
	q := Question{Origin: o, Items: held}
	same, found, err := d.questions.same(ctx, q)
	switch {
	case err != nil:
		return err
	case found && same.Origin.Turn == o.Turn:
		return nil
	case found:
		// The card may be far up, and a request without any visible effect would look as if it was done.
		_, err = d.Server.Send(ctx, o.Place.Channel,
			chat.Outgoing{Text: "I am asking about that already: " + same.link(), Nonce: same.token + "." + chat.Clip(string(o.Turn), 8)})
		return err
	}
	earlier, found, err := d.questions.earlier(ctx, q)
	if err != nil {
		return err
	}
	if found {
		err = d.ask(ctx, because(earlier.with(q)), &earlier)
	}
	if !found || errors.Is(err, errAnswered) {
		err = d.ask(ctx, because(q), nil)
	}
	return err
}

// because adds to a question why it is asked, if that is what was read.
func because(q Question) Question {
	if q.Origin.Outside != "" {
		q.Remarks = []string{"-# Just checking that you want this: I have also read " + q.Origin.Outside.Phrase() + "."}
	}
	return q
}

// Open returns the tokens of the open questions in a channel, in the order in which they
// expire.
func (d *Service) Open(ctx context.Context, ch chat.ChannelID) ([]string, error) {
	list, err := d.questions.list(ctx, `state = ? AND channel = ? AND expires > ?`, open, ch, d.Now().UnixMicro())
	var tokens []string
	for _, rec := range list {
		tokens = append(tokens, rec.token)
	}
	return tokens, err
}

// TurnOf finds the turn that a card is about: the one whose actions wait for approval, or the one that an undo is about. It returns false
// if the message is no card.
func (d *Service) TurnOf(ctx context.Context, ch chat.ChannelID, card chat.MessageID) (chat.TurnID, bool, error) {
	list, err := d.questions.list(ctx, `channel = ? AND card = ?`, ch, card)
	if err != nil || len(list) == 0 {
		return "", false, err
	}
	if undone, _, undoes := strings.Cut(list[0].Undoes, "/"); undoes {
		return chat.TurnID(undone), true, nil
	}
	return list[0].Origin.Turn, true, nil
}

// May returns why the requester lacks the rights for the actions of a question.
func (d *Service) May(ctx context.Context, q Question) error {
	return d.live().Executor.May(ctx, q.Origin, q.requests())
}

// Ask posts the card of a question. The error says why there is none. An equal open
// question is not asked again; already is the link to its card.
func (d *Service) Ask(ctx context.Context, q Question) (already string, err error) {
	if same, found, err := d.questions.same(ctx, q); err != nil || found {
		return same.link(), err
	}
	return "", d.ask(ctx, q, nil)
}

// ask posts the card of a question. It takes the place of an earlier card, unless that is nil; errAnswered says that people
// have answered that one meanwhile.
func (d *Service) ask(ctx context.Context, q Question, earlier *record) (err error) {
	if q.Origin.Place.Channel == "" {
		return errors.New("there is no channel to ask in")
	}
	if q.Origin.Outside, err = d.questions.outside(ctx, q); err != nil {
		return err
	}
	rec := record{Question: q, token: d.Token(), state: open, asked: d.Now(), expires: d.Now().Add(questionTTL)}
	// A cancellation halfway would leave a card without a record.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postTime)
	defer cancel()
	// The row comes first: without it a card could not be answered, but a missing card is
	// posted later.
	if err := d.questions.add(ctx, rec, earlier); err != nil {
		return err
	}
	err = d.post(ctx, &rec)
	if chat.IsPermanent(err) {
		return errors.Join(err, d.questions.drop(ctx, rec, earlier))
	}
	if err != nil {
		// The card may be there. postLate sends it once more, deduped by its nonce.
		d.Log.WarnContext(ctx, "cannot tell whether a card was posted", "err", err)
	}
	d.Log.InfoContext(ctx, "question asked", "user", q.Origin.Requester, "actions", len(q.Items))
	d.Wake() // also for the earlier card
	return nil
}

// Wake has Run look at the questions.
func (d *Service) Wake() { d.loop.Wake() }

// postTime is the timeout of posting a card.
const postTime = 30 * time.Second

// post sends the card of a question. A repeated one is deduped by its nonce.
func (d *Service) post(ctx context.Context, rec *record) error {
	text, list := rec.opening()
	id, err := d.Server.Send(ctx, rec.Origin.Place.Channel,
		chat.Outgoing{Text: text, Files: attached(list), Buttons: buttons(rec.token), Nonce: rec.token + ".0"})
	if err != nil && list != "" {
		return fmt.Errorf("it is too much for one message and needs a file, but %w; ask for less at a time", err)
	}
	if err != nil {
		return err
	}
	return d.posted(ctx, rec, id)
}

// posted records which message the card of a question is. A waiting card can be replied to and looked up like one that is
// over, so it is marked at once.
func (d *Service) posted(ctx context.Context, rec *record, card chat.MessageID) error {
	rec.card = card
	d.mark(*rec, card)
	return d.questions.posted(ctx, rec.token, card)
}

// mark records what was read before a question, for a message that has its words.
func (d *Service) mark(rec record, m chat.MessageID) {
	of := rec.Origin.Outside
	for _, item := range rec.Items {
		of.Add(item.Outside)
	}
	if d.Mark != nil {
		d.Mark(of, m)
	}
}

// attached is a list as a file; none if it is empty.
func attached(list string) []chat.File {
	if list == "" {
		return nil
	}
	return []chat.File{{Name: "list.txt", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(list)), nil }}}
}

const (
	keepFor = 30 * 24 * time.Hour // retention of questions in the database
	tellFor = 24 * time.Hour      // how long the update of a card is retried
)

// Run takes answers and expires questions, until ctx ends. It begins with the questions of
// an earlier process. It is called once.
func (d *Service) Run(ctx context.Context, live Live) {
	d.given = live
	close(d.running)
	behind := true // resume has not succeeded yet
	d.loop.Run(ctx, func(ctx context.Context) (time.Time, error) {
		var left error
		if behind {
			left = d.resume(ctx)
			behind = left != nil
		}
		next, err := d.tend(ctx)
		return next, errors.Join(left, err)
	})
}

// resume settles the questions that an earlier process was executing as interrupted. Their
// actions are not repeated.
func (d *Service) resume(ctx context.Context) error {
	broken, err := d.questions.in(ctx, running)
	if err != nil {
		return err
	}
	for _, rec := range broken {
		ours, err := d.questions.settle(ctx, rec.token, running, interrupted, verdictInterrupted)
		if err != nil {
			return err
		}
		if ours {
			d.live().Observer.Interrupted(ctx, rec.Question)
			d.ended(rec, Ending{How: "approved, but interrupted by a restart", Approved: true})
		}
	}
	return nil
}

// tend expires questions, posts missing cards and retries failed updates of cards. It returns
// when the next of these is due.
func (d *Service) tend(ctx context.Context) (next time.Time, err error) {
	list, err := d.questions.in(ctx, open)
	if err != nil {
		return next, err
	}
	for _, rec := range list {
		if !d.Now().Before(rec.expires) {
			if err := d.expire(ctx, rec); err != nil {
				return next, err
			}
			continue
		}
		next = due.Sooner(due.Sooner(next, rec.expires), d.postLate(ctx, rec))
	}
	untold, err := d.questions.untold(ctx, d.Now().Add(-tellFor))
	for _, rec := range untold {
		if !d.close(ctx, rec) {
			next = due.Sooner(next, d.Now().Add(due.Poll))
		}
	}
	return next, err
}

// postLate posts a card that may not have been posted: the process may have ended before it
// was recorded, or Discord did not answer. It returns when to try next; zero for never.
func (d *Service) postLate(ctx context.Context, rec record) (next time.Time) {
	if rec.card != "" {
		return next
	}
	if at := rec.asked.Add(postTime); d.Now().Before(at) {
		return at // Ask may still be posting it
	}
	if err := d.post(ctx, &rec); err != nil {
		d.Log.WarnContext(ctx, "cannot post the card of a question", "channel", rec.Origin.Place.Channel, "err", err)
		return d.Now().Add(due.Poll)
	}
	return next
}

// expire settles a question that was not answered.
func (d *Service) expire(ctx context.Context, rec record) error {
	ours, err := d.questions.settle(ctx, rec.token, open, expired, verdictExpired)
	if err == nil && ours {
		d.live().Observer.Dismissed(ctx, rec.Question, "nobody answered in time")
		d.ended(rec, Ending{How: "expired, since nobody answered"})
		rec.state, rec.verdict = expired, verdictExpired
		d.close(ctx, rec) // also if the bot was away for longer than cards are updated
	}
	return err
}
