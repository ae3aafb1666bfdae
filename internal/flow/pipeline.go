package flow

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/convo"
)

// writeTimeout is how long writing something down may take. It never does; but nobody should
// wait for an answer because of a disk.
const writeTimeout = 2 * time.Second

// A Pipeline takes events from their sources to their end: guard, accept, enqueue, run, and
// then settle, requeue or drop. What an earlier process left goes through it again, from
// enqueueing on.
type Pipeline struct {
	PipelineOptions
	convo   *convo.Conversations
	bg      *background.Group // what does not wait for a conversation
	sources map[inbox.Kind]resumer
	queue   resumeQueue
	stats   stats
	stops   stops
	// refusing says that the last event could not be accepted.
	refusing atomic.Bool
}

// PipelineOptions are what a pipeline is made of.
type PipelineOptions struct {
	Inbox   *inbox.Inbox
	Runner  *turn.Runner
	Access  access.Policy
	NewTurn func() chat.TurnID
	// Answered says whether the answer to a command is in the ledger, and returns it. Answer
	// writes it there.
	Answered func(context.Context, chat.TurnID) (string, bool, error)
	Answer   func(context.Context, chat.TurnID, string) error
	// Reply posts messages under a turn's name, each once, as replies to the message of a place.
	Reply func(ctx context.Context, t chat.TurnID, key string, at chat.Place, text string) error
	// Settled forgets how far a turn came, in the transaction that settles its events. The
	// report has no ID if there is nothing to tell.
	Settled func(context.Context, *store.Tx, chat.TurnID, turn.Report) error
	// Over is told of every turn, and every command, that is over.
	Over func(context.Context, turn.Report)
	// Counting returns a context, and how many requests have been sent with it.
	Counting func(context.Context) (context.Context, func() int)
	// GuildPending says whether the bot is on a server of which nothing else is known yet.
	GuildPending func(chat.GuildID) bool
	// Recovered is told that events can be accepted again.
	Recovered func()
	Report    func(ctx context.Context, what string) // tells the operators something
	BatchWait time.Duration
	Log       *slog.Logger
}

// NewPipeline returns a pipeline without sources.
func NewPipeline(o PipelineOptions) *Pipeline {
	return &Pipeline{
		PipelineOptions: o,
		convo:           convo.New(convo.Options{Wait: o.BatchWait}),
		bg:              background.New(o.Log),
		sources:         map[inbox.Kind]resumer{},
		stats:           stats{began: time.Now()},
	}
}

// An entry is where events of one source enter the pipeline.
type entry[E any] struct {
	Source[E]
	*Pipeline
}

// open adds a source to a pipeline. It is called before anything happens.
func open[E any](p *Pipeline, s Source[E]) *entry[E] {
	if s.Load == nil {
		s.Load = func(text []byte) (body E, err error) { return body, json.Unmarshal(text, &body) }
	}
	if s.Store == nil {
		s.Store = func(body E) any { return body }
	}
	in := &entry[E]{s, p}
	p.sources[s.Kind] = in
	return in
}

// Close ends the turns that run. They, and what waits, are resumed at the next start.
func (p *Pipeline) Close(ctx context.Context) error {
	bg := make(chan error, 1)
	go func() { bg <- p.bg.Close(ctx) }() // meanwhile, so that the time is not taken twice
	return errors.Join(p.convo.Close(ctx, turn.ErrRestarting), <-bg)
}

// event is one that was told now.
func (in *entry[E]) event(body E, a Arrival) Event[E] {
	return Event[E]{Key: in.Key(body), Body: body, Arrival: a}
}

// objection is that of the first guard that has one.
func (in *entry[E]) objection(ctx context.Context, e Event[E]) access.Refusal {
	for _, g := range in.Guards {
		if why := g.Objects(ctx, e); why != access.Admitted {
			return why
		}
	}
	return access.Admitted
}

// tell takes an event in. It waits for its conversation, or begins at once.
func (in *entry[E]) tell(ctx context.Context, body E, a Arrival) {
	if e, ok := in.accept(ctx, body, a); ok {
		in.enqueue(ctx, e)
	}
}

// accept lets the guards have their say and writes the event down. It is false if there is
// nothing to do: a guard objects, or it is a duplicate, or it cannot be accepted.
func (in *entry[E]) accept(ctx context.Context, body E, a Arrival) (Event[E], bool) {
	e := in.event(body, a)
	why := in.objection(ctx, e)
	if why == access.Admitted && in.Allow != nil {
		why = in.Allow(body)
	}
	if why != access.Admitted {
		in.ignore(ctx, e, why)
		return e, false
	}
	e = in.tidy(e)
	e.Turn = in.NewTurn()
	if in.Claim != nil {
		return e, true
	}
	fresh, err := in.write(ctx, e)
	if err != nil {
		in.refuse(ctx, e, err)
		return e, false
	}
	if in.refusing.Swap(false) {
		in.Recovered()
	}
	return e, fresh && (in.Accepted == nil || in.Accepted(ctx, e))
}

func (in *entry[E]) tidy(e Event[E]) Event[E] {
	if in.Tidy != nil {
		e.Body = in.Tidy(e.Body)
	}
	return e
}

func (in *entry[E]) ignore(ctx context.Context, e Event[E], why access.Refusal) {
	in.Log.DebugContext(ctx, string(in.Kind)+" ignored", "reason", string(why), "message", e.Place.Message, "channel", e.Place.Channel, "user", e.By.ID)
	if in.Ignored != nil {
		in.Ignored(ctx, e.Body, why)
	}
}

// row is an event as the inbox keeps it.
func (in *entry[E]) row(e Event[E]) inbox.Event {
	body, _ := json.Marshal(in.Store(e.Body)) // there is nothing in these that has no JSON
	return inbox.Event{ID: e.ID, DedupeKey: e.DedupeKey, Repeat: e.Repeat, Kind: in.Kind, Place: e.Place, Turn: e.Turn, Body: body}
}

func (in *entry[E]) write(ctx context.Context, e Event[E]) (fresh bool, err error) {
	ctx, cancel := writing(ctx)
	defer cancel()
	return in.Inbox.Accept(ctx, in.row(e))
}

// writing is a context for writing something down, whatever becomes of what it is about.
func writing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
}

// refuse is for an event that could not be written down.
func (in *entry[E]) refuse(ctx context.Context, e Event[E], err error) {
	in.Log.ErrorContext(ctx, "cannot accept "+string(in.Kind), "message", e.Place.Message, "channel", e.Place.Channel, "user", e.By.ID, "err", err)
	if !in.refusing.Swap(true) {
		in.Report(ctx, "⚠️ I cannot write down what people ask, so nothing new is started; the log has the details. What they write is answered when that works again.")
		in.bg.Go("accept again", in.tryAgain)
	}
	if in.Refused != nil {
		in.Refused(ctx, e, err)
	}
}

// tryAgain looks from time to time whether something can be written down again.
func (p *Pipeline) tryAgain(ctx context.Context) {
	for p.refusing.Load() && p.bg.Pause(ctx, retryDelay) {
		wctx, cancel := writing(ctx)
		err := p.Inbox.Probe(wctx)
		cancel()
		if err == nil && p.refusing.Swap(false) {
			p.Recovered()
		}
	}
}

// enqueue lets an event have its turn.
func (in *entry[E]) enqueue(ctx context.Context, e Event[E]) {
	r := Run[E]{Turn: e.Turn, Work: string(e.ID), Events: []Event[E]{e}}
	if e.Arrival == Missed && in.Expired != nil {
		why, err := in.Expired(ctx, e, false)
		if err != nil {
			in.Log.ErrorContext(ctx, "cannot tell whether an event has expired", "kind", in.Kind, "message", e.Place.Message, "err", err)
			in.retryLater(ctx, e.ID)
			return
		}
		if why != "" {
			in.drop(r, why)
			return
		}
	}
	if in.AtOnce {
		in.bg.Go(string(in.Kind), func(ctx context.Context) { in.run(ctx, r) })
		return
	}
	in.convo.Add(in.work(e))
}

// work is an event that waits in its conversation.
func (in *entry[E]) work(e Event[E]) convo.Work {
	w := convo.Work{
		ID: string(e.ID), Channel: e.Place.Channel, Message: e.Place.Message, Items: []any{e}, Late: e.Arrival == Missed,
		Run: func(ctx context.Context, items []any) {
			r := Run[E]{Turn: e.Turn, Work: string(e.ID)}
			for _, item := range items {
				r.Events = append(r.Events, item.(Event[E]))
			}
			in.run(ctx, r)
		},
	}
	if e.Joins != "" {
		w.Joins = string(in.Kind) + "/" + e.Joins // events of two sources have no turn together
	}
	return w
}

// replace puts an event in the place of the one with its ID, as long as that waits. It may
// have belonged to another source.
func (in *entry[E]) replace(ctx context.Context, body E) bool {
	e := in.event(body, Edited)
	if in.objection(ctx, e) != access.Admitted {
		return false
	}
	e = in.tidy(e)
	e.Turn, e.Arrival = in.NewTurn(), Live
	if in.AtOnce && !in.convo.Take(e.Place.Channel, string(e.ID)) || !in.AtOnce && !in.convo.Replace(in.work(e)) {
		return false
	}
	wctx, cancel := writing(ctx)
	defer cancel()
	if err := in.Inbox.UpdateBody(wctx, in.row(e)); err != nil {
		in.Log.ErrorContext(ctx, "cannot update a waiting event", "message", e.Place.Message, "err", err)
	}
	if in.AtOnce {
		in.enqueue(ctx, e)
	}
	return true
}
