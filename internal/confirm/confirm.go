// Package confirm asks people before something happens that cannot be taken back.
//
// A [Service] keeps actions that a reply wants to do until somebody agrees. It posts one
// card for all of them, with two buttons, and takes an answer from who asked for it or
// from somebody who may do the same. Then the actions run exactly as they stood on the
// card, once, and what came of them is written into the card. After ten minutes
// nobody is asked any more.
//
// What waits is in the database, so that a restart forgets nothing. A question that
// was being carried out when the process ended is never resumed: the card says
// that somebody has to look.
package confirm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// questionTTL is how long a question stays open.
const questionTTL = 10 * time.Minute

// A Server is what the desk needs of Discord.
type Server interface {
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	Edit(ctx context.Context, ch chat.ChannelID, id chat.MessageID, m chat.Outgoing) error
	// RespondEphemeral tells something to who pressed a button, and to nobody else.
	RespondEphemeral(ctx context.Context, p chat.Press, text string) error
}

// Executor carry out what was agreed to.
type Executor interface {
	// May says why somebody, the origin's requester, may not do one of these. It is nil
	// if they may do them all.
	May(ctx context.Context, o actions.Origin, reqs []actions.Request) error
	// Do does them as they are.
	Do(ctx context.Context, o actions.Origin, reqs []actions.Request) []actions.Outcome
}

// Options are what a desk works with.
type Options struct {
	DB     *store.DB
	Server Server
	Log    *slog.Logger
	Token  func() string // names a question; nil means a random one
}

// An Observer is told what becomes of questions.
type Observer interface {
	// Begin is told that somebody agreed, before anything is done. An error stops it.
	Begin(ctx context.Context, q Question) error
	// End is told what was done.
	End(ctx context.Context, q Question, outs []actions.Outcome)
	// Dismissed is told that nothing will be done, and why.
	Dismissed(ctx context.Context, q Question, why string)
	// Interrupted is told that the process ended after Begin and before End.
	Interrupted(ctx context.Context, q Question)
}

// A Service asks people. Its methods are safe for concurrent use. Questions can be held
// as soon as the database is open; answers are taken while Run runs.
type Service struct {
	Options
	questions questions
	group     *background.Group
	changed   chan struct{} // has room for one: there is something to look at
	executor  Executor
	observer  Observer
}

// New returns a desk without any question.
func New(o Options) *Service {
	if o.Token == nil {
		o.Token = randomToken
	}
	return &Service{Options: o, questions: questions{o.DB}, group: background.New(o.Log), changed: make(chan struct{}, 1)}
}

// Serve says who carries out what is agreed to, and who is told. It is called once,
// before anything else.
func (d *Service) Serve(h Executor, w Observer) { d.executor, d.observer = h, w }

// Close waits for answers that are being carried out, until ctx ends.
func (d *Service) Close(ctx context.Context) error { return d.group.Close(ctx) }

// randomToken has eight digits, few enough to type.
func randomToken() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// A Question is about actions that wait for a person's word.
type Question struct {
	Origin  actions.Origin
	Asker   string // the name of the origin's requester, as far as it is known
	Items   []actions.Pending
	Remarks []string // for the card
	Undoes  string   // what it would take back, in the words of who asks; empty for all but that
}

// Hold asks about actions of a reply.
func (d *Service) Hold(ctx context.Context, o actions.Origin, held []actions.Pending) error {
	_, err := d.Ask(ctx, Question{Origin: o, Items: held})
	return err
}

// Open returns the tokens of what is asked in a channel, those that end first at the
// beginning.
func (d *Service) Open(ctx context.Context, ch chat.ChannelID) ([]string, error) {
	list, err := d.questions.openIn(ctx, ch)
	var tokens []string
	for _, rec := range list {
		tokens = append(tokens, rec.token)
	}
	return tokens, err
}

// May says why who asks may not do what they ask about.
func (d *Service) May(ctx context.Context, q Question) error {
	return d.executor.May(ctx, q.Origin, q.requests())
}

// Ask posts the card of a question. The error says why there is none. If the same is
// asked already, that card has to do, and a link leads there.
func (d *Service) Ask(ctx context.Context, q Question) (already string, err error) {
	if q.Origin.Place.Channel == "" {
		return "", errors.New("there is no channel to ask in")
	}
	if same, found, err := d.questions.same(ctx, q); err != nil || found {
		return same, err
	}
	rec := record{Question: q, token: d.Token(), state: open, asked: time.Now(), expires: time.Now().Add(questionTTL)}
	// To stop halfway would leave a card that nobody knows.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postTime)
	defer cancel()
	// A card without a question behind it would be a lie; the other way round, it is
	// posted at the next start.
	if err := d.questions.add(ctx, rec); err != nil {
		return "", err
	}
	err = d.post(ctx, &rec)
	if refused := (refusal)(nil); errors.As(err, &refused) && refused.Permanent() {
		_, dropped := d.questions.settle(ctx, rec.token, open, unasked, "")
		return "", errors.Join(err, dropped)
	}
	if err != nil {
		// The card may be there. It is sent once more later, which shows.
		d.Log.WarnContext(ctx, "nobody knows whether a question was asked", "err", err)
	}
	d.Log.InfoContext(ctx, "question asked", "user", q.Origin.Requester, "actions", len(q.Items))
	d.wake()
	return "", nil
}

// wake has Run look at the questions.
func (d *Service) wake() {
	select {
	case d.changed <- struct{}{}:
	default: // it will already
	}
}

// postTime is how long it may take to ask.
const postTime = 30 * time.Second

// post sends the card of a question. The same card sent again soon is no second one.
func (d *Service) post(ctx context.Context, rec *record) error {
	chunks := rec.chunks()
	for i, text := range chunks {
		m := chat.Outgoing{Text: text, Nonce: fmt.Sprintf("%s.%d", rec.token, i)}
		if i == len(chunks)-1 {
			m.Buttons = buttons(rec.token)
		}
		id, err := d.Server.Send(ctx, rec.Origin.Place.Channel, m)
		if err != nil {
			return err
		}
		rec.card = id
	}
	return d.questions.posted(ctx, rec.token, rec.card)
}

// A refusal is an error that says whether it is final.
type refusal interface {
	error
	Permanent() bool
}
