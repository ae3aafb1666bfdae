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
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/convo"
)

// writeTimeout is the timeout of a database write. Writes are much faster than that; it is there so that a slow
// disk does not hold up answers.
const writeTimeout = 2 * time.Second

// A Pipeline takes events through these stages: guard, accept, enqueue, run, and then settle, requeue or drop.
// Events that an earlier process left unfinished go through it again, starting with enqueue.
type Pipeline struct {
	PipelineOptions
	convo    *convo.Conversations
	bg       *background.Group // work outside the queues of conversations
	sources  map[inbox.Kind]resumer
	queue    resumeQueue
	stats    stats
	stops    stops
	cooldown cooldown
	unposted unposted
	// refusing is true while the last event could not be accepted.
	refusing atomic.Bool
}

// PipelineOptions configures a pipeline.
type PipelineOptions struct {
	Inbox   *inbox.Inbox
	Runner  *turn.Runner
	Access  access.Policy
	NewTurn func() chat.TurnID
	// Answered returns the answer to a command from the ledger, and reports whether it is there. Answer
	// writes it to the ledger.
	Answered func(context.Context, chat.TurnID) (string, bool, error)
	Answer   func(context.Context, chat.TurnID, string) error
	// Reply posts a text as replies to the message of a place. It is idempotent per turn and key.
	Reply func(ctx context.Context, t chat.TurnID, key string, at chat.Place, text string) error
	// Settled deletes the recorded progress of a turn, in the transaction that settles its events. The report
	// has no ID if there is nothing to report.
	Settled func(context.Context, *store.Tx, chat.TurnID, turn.Report) error
	// Share lets a turn go on with the placeholder of another one, in the transaction that accepts it.
	Share func(ctx context.Context, tx *store.Tx, from chat.TurnID, key string, with chat.TurnID) error
	// Over is called after every turn and every command.
	Over func(context.Context, turn.Report)
	// Counting returns a context, and a function that returns the number of requests sent with it.
	Counting func(context.Context) (context.Context, func() int)
	// Sparing returns a context for another try of work that Discord did not answer, in which the first request that is not
	// answered either is the last. Succeeded returns how many requests of the bot have succeeded so far, and how many of them
	// have posted a message.
	Sparing   func(context.Context) context.Context
	Succeeded func() (all, posts int)
	// GuildPending reports whether the bot is on a server of which it has no data yet.
	GuildPending func(chat.GuildID) bool
	// Recovered is called when events can be accepted again.
	Recovered func()
	Progress  *lifecycle.Driver                                     // shows on messages how far their turns are; nil shows nothing
	Report    func(ctx context.Context, k status.Kind, what string) // sends a notice to the operators
	BatchWait time.Duration
	UserTurns int              // how many turns a person may have in ten minutes; 0 means any number
	Now       func() time.Time // when turns begin; nil means time.Now
	Log       *slog.Logger
}

// NewPipeline returns a pipeline without sources.
func NewPipeline(o PipelineOptions) *Pipeline {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Pipeline{
		PipelineOptions: o,
		convo:           convo.New(convo.Options{Wait: o.BatchWait}),
		bg:              background.New(o.Log),
		sources:         map[inbox.Kind]resumer{},
		stats:           stats{began: time.Now()},
	}
}

// An entry is where the events of one source enter the pipeline.
type entry[E any] struct {
	Source[E]
	*Pipeline
	steering steering[E]
}

// open adds a source to a pipeline. It must be called before the first event, since the sources are not locked.
func open[E any](p *Pipeline, s Source[E]) *entry[E] {
	if s.Load == nil {
		s.Load = func(text []byte) (body E, err error) { return body, json.Unmarshal(text, &body) }
	}
	if s.Store == nil {
		s.Store = func(body E) any { return body }
	}
	in := &entry[E]{Source: s, Pipeline: p}
	p.sources[s.Kind] = in
	return in
}

// Close cancels the running turns. They and the queued events are resumed at the next start.
func (p *Pipeline) Close(ctx context.Context) error {
	bg := make(chan error, 1)
	go func() { bg <- p.bg.Close(ctx) }() // concurrently, so that the grace periods do not add up
	return errors.Join(p.convo.Close(ctx, turn.ErrGoingDown), <-bg)
}

// event returns a new event.
func (in *entry[E]) event(body E, a Arrival) Event[E] {
	return Event[E]{Key: in.Key(body), Body: body, Arrival: a}
}

// objection returns the refusal of the first guard that objects.
func (in *entry[E]) objection(ctx context.Context, e Event[E]) access.Refusal {
	for _, g := range in.Guards {
		if why := g.Objects(ctx, e); why != access.Admitted {
			return why
		}
	}
	return access.Admitted
}

// tell accepts an event and enqueues it.
func (in *entry[E]) tell(ctx context.Context, body E, a Arrival) {
	if e, ok := in.accept(ctx, body, a); ok {
		in.enqueue(ctx, e)
	}
}

// accept runs the guards and writes the event to the inbox. It returns false if there is nothing to enqueue: a
// guard objects, the event is a duplicate or settled already, or it cannot be written. An event that is claimed
// is written only when its work begins.
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

// row returns an event as the inbox stores it.
func (in *entry[E]) row(e Event[E]) inbox.Event {
	body, _ := json.Marshal(in.Store(e.Body)) // cannot fail: bodies have no fields that JSON lacks
	return inbox.Event{ID: e.ID, DedupeKey: e.DedupeKey, Repeat: e.Repeat, Kind: in.Kind, Place: e.Place, Turn: e.Turn, Body: body}
}

func (in *entry[E]) write(ctx context.Context, e Event[E]) (fresh bool, err error) {
	ctx, cancel := writing(ctx)
	defer cancel()
	return in.Inbox.Accept(ctx, in.row(e))
}

// writing returns a context for a database write that must happen even if ctx is cancelled.
func writing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
}

// refuse handles an event that could not be written to the inbox. The operators are told of the first one, and
// the inbox is probed until it can be written again.
func (in *entry[E]) refuse(ctx context.Context, e Event[E], err error) {
	in.Log.ErrorContext(ctx, "cannot accept "+string(in.Kind), "message", e.Place.Message, "channel", e.Place.Channel, "user", e.By.ID, "err", err)
	if !in.refusing.Swap(true) {
		in.Report(ctx, status.Storage, "⚠️ I cannot write down what people ask, so nothing new is started; the log has the details. What they write is answered when that works again.")
		in.bg.Go("accept again", in.tryAgain)
	}
	if in.Refused != nil {
		in.Refused(ctx, e, err)
	}
}

// tryAgain probes the inbox periodically until it can be written again.
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

// enqueue adds an event to the queue of its conversation, or starts its work at once if its source is AtOnce. A
// missed event that has expired is dropped instead.
func (in *entry[E]) enqueue(ctx context.Context, e Event[E]) {
	r := Run[E]{Turn: e.Turn, Work: string(e.ID), Events: []Event[E]{e}}
	if e.Arrival == Missed && in.Expired != nil {
		why, err := in.Expired(ctx, e, false)
		if err != nil {
			in.Log.ErrorContext(ctx, "cannot tell whether an event has expired", "kind", in.Kind, "message", e.Place.Message, "err", err)
			in.retryLater(ctx, false, e.ID)
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
	if in.shows(e) {
		in.Progress.Received(e.Place, in.convo.Busy(in.queueOf(e)))
	}
	if !in.steer(e) {
		in.convo.Add(in.work(e))
	}
}

// queueOf returns the conversation of an event.
func (in *entry[E]) queueOf(e Event[E]) chat.ChannelID {
	if in.Queue != nil {
		return in.Queue(e.Body)
	}
	return e.Place.Channel
}

// work returns the queue item of an event.
func (in *entry[E]) work(e Event[E]) convo.Work {
	w := convo.Work{
		ID: string(e.ID), Channel: in.queueOf(e), Message: e.Place.Message, Items: []any{e}, Late: e.Arrival == Missed,
		Run: func(ctx context.Context, items []any) {
			r := Run[E]{Turn: e.Turn, Work: string(e.ID)}
			for _, item := range items {
				r.Events = append(r.Events, item.(Event[E]))
			}
			in.run(ctx, r)
		},
	}
	if in.Ahead {
		// The earlier turn of its chain may be resumed as well, and was accepted before it.
		w.Message, w.Ahead = "", e.Arrival != Resumed
	}
	if e.Joins != "" {
		w.Joins = string(in.Kind) + "/" + e.Joins // events of different sources never share a turn
	}
	return w
}

// replace replaces the queued event that has the same ID, and reports whether there was one. That event may
// belong to another source: a message may be edited into a command, or back.
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
		in.Progress.Ends(e.Place, lifecycle.Nothing) // it is no turn any more
		in.enqueue(ctx, e)
	}
	return true
}
