// Package pipeline takes events through the stages that all ways in share: guard, accept, enqueue, run, and then settle,
// requeue or drop. What is special about one way in is a [Source].
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/journal"
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
	o        Options
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

// Options configures a pipeline.
type Options struct {
	Inbox   *inbox.Inbox
	Ledger  *ledger.Ledger
	Outbox  *outbox.Outbox
	Journal *journal.Journal
	Discord Discord
	Runner  *turn.Runner
	Access  access.Policy
	NewTurn func() chat.TurnID
	// Settled is called with the report of a turn, in the transaction that settles its events.
	Settled func(context.Context, *store.Tx, turn.Report) error
	// Over is called after every turn and every command.
	Over func(context.Context, turn.Report)
	// Recovered is called when events can be accepted again.
	Recovered func()
	Progress  *lifecycle.Driver                                     // shows on messages how far their turns are; nil shows nothing
	Report    func(ctx context.Context, k status.Kind, what string) // sends a notice to the operators
	Taint     bool                                                  // answers are marked with the outside texts that were read for them
	BatchWait time.Duration
	UserTurns int              // how many turns a person may have in ten minutes; 0 means any number
	Now       func() time.Time // when turns begin; nil means time.Now
	Log       *slog.Logger
}

// Discord is the part of the Discord client that a pipeline uses.
type Discord interface {
	// Counting returns a context, and a function that returns the number of requests sent with it.
	Counting(context.Context) (context.Context, func() int)
	// Sparing returns a context for another try of work that Discord did not answer, in which the first request that is not
	// answered either is the last. Succeeded returns how many requests of the bot have succeeded so far, and how many of them
	// have posted a message.
	Sparing(context.Context) context.Context
	Succeeded() (all, posts int)
	// GuildPending reports whether the bot is on a server of which it has no data yet.
	GuildPending(chat.GuildID) bool
}

// New returns a pipeline without sources.
func New(o Options) *Pipeline {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Pipeline{
		o:       o,
		convo:   convo.New(convo.Options{Wait: o.BatchWait}),
		bg:      background.New(o.Log),
		sources: map[inbox.Kind]resumer{},
		stats:   stats{began: time.Now()},
	}
}

// An Entry is where the events of one source enter the pipeline.
type Entry[E any] struct {
	source   Source[E]
	p        *Pipeline
	steering steering[E]
}

// Open adds a source to a pipeline. It must be called before the first event, since the sources are not locked.
func Open[E any](p *Pipeline, s Source[E]) *Entry[E] {
	if s.Load == nil {
		s.Load = func(text []byte) (body E, err error) { return body, json.Unmarshal(text, &body) }
	}
	if s.Store == nil {
		s.Store = func(body E) any { return body }
	}
	in := &Entry[E]{source: s, p: p}
	p.sources[s.Kind] = in
	return in
}

// Close cancels the running turns. They and the queued events are resumed at the next start.
func (p *Pipeline) Close(ctx context.Context) error {
	bg := make(chan error, 1)
	go func() { bg <- p.bg.Close(ctx) }() // concurrently, so that the grace periods do not add up
	return errors.Join(p.convo.Close(ctx, turn.ErrGoingDown), <-bg)
}

// NewTurn returns the ID of a new turn.
func (p *Pipeline) NewTurn() chat.TurnID { return p.o.NewTurn() }

// Reply posts a text as replies to the message of a place, once for each turn and key.
func (p *Pipeline) Reply(ctx context.Context, t chat.TurnID, key string, at chat.Place, text string) error {
	if text == "" {
		return nil
	}
	posts := p.o.Outbox.Of(t, nil)
	for i, m := range reply.Messages(turn.Body{Text: text}) {
		if i == 0 {
			m.ReplyTo = at.Message
		}
		if _, err := posts.Post(ctx, fmt.Sprintf("%s/%d", key, i), at.Channel, m); err != nil {
			return err
		}
	}
	return nil
}

// Share lets a turn go on with the placeholder of another one, in the transaction that accepts it.
func (p *Pipeline) Share(ctx context.Context, tx *store.Tx, from chat.TurnID, key string, with chat.TurnID) error {
	return p.o.Outbox.Share(ctx, tx, from, key, with, turn.First)
}

// Answered returns the answer of a turn or a command from the ledger, and reports whether an earlier attempt recorded one.
func (p *Pipeline) Answered(ctx context.Context, id chat.TurnID) (string, bool, error) {
	t, err := p.o.Ledger.Open(ctx, id)
	if err != nil {
		return "", false, err
	}
	a, ok := t.Answer(0)
	return a.Text, ok, nil
}

// answer records the answer to a command in the ledger.
func (p *Pipeline) answer(ctx context.Context, id chat.TurnID, text string) error {
	t, err := p.o.Ledger.Open(ctx, id)
	if err != nil {
		return err
	}
	t.Answered(ctx, 0, turn.Answer{Text: text})
	return t.Err()
}

// Go runs work outside the queues of conversations until the pipeline is closed. Pause waits there, and reports whether the work goes on.
func (p *Pipeline) Go(name string, do func(context.Context))        { p.bg.Go(name, do) }
func (p *Pipeline) Pause(ctx context.Context, d time.Duration) bool { return p.bg.Pause(ctx, d) }

// Apart runs work in its order among the turns of a conversation, none of which it joins.
func (p *Pipeline) Apart(id string, queue chat.ChannelID, do func(context.Context)) {
	p.convo.Add(convo.Work{ID: id, Channel: queue, Apart: true, Run: func(ctx context.Context, _ []any) { do(ctx) }})
}

// Waits reports whether something waits in the conversation of an event.
func (in *Entry[E]) Waits(e Event[E]) bool { return in.p.convo.Waits(in.queueOf(e)) }

// Follow enqueues an event that [inbox.Inbox.Follow] has accepted. One that was resumed is queued already.
func (in *Entry[E]) Follow(e Event[E]) {
	if w := in.work(e); !in.p.convo.Replace(w) {
		in.p.convo.Add(w)
	}
}

// Fail settles an event that was accepted, but must not begin.
func (in *Entry[E]) Fail(ctx context.Context, e Event[E]) {
	in.p.settle(ctx, inbox.Failed, e.Turn, turn.Report{}, e.ID)
}

// Event returns a new event.
func (in *Entry[E]) Event(body E, a Arrival) Event[E] {
	return Event[E]{Key: in.source.Key(body), Body: body, Arrival: a}
}

// Objection returns the refusal of the first guard that objects.
func (in *Entry[E]) Objection(ctx context.Context, e Event[E]) access.Refusal {
	for _, g := range in.source.Guards {
		if why := g.Objects(ctx, e); why != access.Admitted {
			return why
		}
	}
	return access.Admitted
}

// Tell accepts an event and enqueues it.
func (in *Entry[E]) Tell(ctx context.Context, body E, a Arrival) {
	if e, ok := in.accept(ctx, body, a); ok {
		in.enqueue(ctx, e)
	}
}

// accept runs the guards and writes the event to the inbox. It returns false if there is nothing to enqueue: a
// guard objects, the event is a duplicate or settled already, or it cannot be written. An event that is claimed
// is written only when its work begins.
func (in *Entry[E]) accept(ctx context.Context, body E, a Arrival) (Event[E], bool) {
	e := in.Event(body, a)
	why := in.Objection(ctx, e)
	if why == access.Admitted && in.source.Allow != nil {
		why = in.source.Allow(body)
	}
	if why != access.Admitted {
		in.ignore(ctx, e, why)
		return e, false
	}
	e = in.tidy(e)
	e.Turn = in.p.o.NewTurn()
	if in.source.Claim != nil {
		return e, true
	}
	fresh, err := in.write(ctx, e)
	if err != nil {
		in.refuse(ctx, e, err)
		return e, false
	}
	if in.p.refusing.Swap(false) {
		in.p.o.Recovered()
	}
	return e, fresh && (in.source.Accepted == nil || in.source.Accepted(ctx, e))
}

func (in *Entry[E]) tidy(e Event[E]) Event[E] {
	if in.source.Tidy != nil {
		e.Body = in.source.Tidy(e.Body)
	}
	return e
}

func (in *Entry[E]) ignore(ctx context.Context, e Event[E], why access.Refusal) {
	in.p.o.Log.DebugContext(ctx, string(in.source.Kind)+" ignored", "reason", string(why), "message", e.Place.Message, "channel", e.Place.Channel, "user", e.By.ID)
	if in.source.Ignored != nil {
		in.source.Ignored(ctx, e.Body, why)
	}
}

// Row returns an event as the inbox stores it.
func (in *Entry[E]) Row(e Event[E]) inbox.Event {
	body, _ := json.Marshal(in.source.Store(e.Body)) // cannot fail: bodies have no fields that JSON lacks
	return inbox.Event{ID: e.ID, DedupeKey: e.DedupeKey, Repeat: e.Repeat, Kind: in.source.Kind, Place: e.Place, Turn: e.Turn, Body: body}
}

func (in *Entry[E]) write(ctx context.Context, e Event[E]) (fresh bool, err error) {
	ctx, cancel := Writing(ctx)
	defer cancel()
	return in.p.o.Inbox.Accept(ctx, in.Row(e))
}

// Writing returns a context for a database write that must happen even if ctx is cancelled.
func Writing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
}

// refuse handles an event that could not be written to the inbox. It reports the first one to the operators, and
// probes the inbox until it can be written again.
func (in *Entry[E]) refuse(ctx context.Context, e Event[E], err error) {
	in.p.o.Log.ErrorContext(ctx, "cannot accept "+string(in.source.Kind), "message", e.Place.Message, "channel", e.Place.Channel, "user", e.By.ID, "err", err)
	if !in.p.refusing.Swap(true) {
		in.p.o.Report(ctx, status.Storage, "⚠️ I cannot write down what people ask, so nothing new is started; the log has the details. What they write is answered when that works again.")
		in.p.bg.Go("accept again", in.p.tryAgain)
	}
	if in.source.Refused != nil {
		in.source.Refused(ctx, e, err)
	}
}

// tryAgain probes the inbox periodically until it can be written again.
func (p *Pipeline) tryAgain(ctx context.Context) {
	for p.refusing.Load() && p.bg.Pause(ctx, RetryDelay) {
		wctx, cancel := Writing(ctx)
		err := p.o.Inbox.Probe(wctx)
		cancel()
		if err == nil && p.refusing.Swap(false) {
			p.o.Recovered()
		}
	}
}

// enqueue adds an event to the queue of its conversation, or starts its work at once if its source is AtOnce. A
// missed event that has expired is dropped instead.
func (in *Entry[E]) enqueue(ctx context.Context, e Event[E]) {
	r := Run[E]{Turn: e.Turn, Work: string(e.ID), Events: []Event[E]{e}}
	if e.Arrival == Missed && in.source.Expired != nil {
		why, err := in.source.Expired(ctx, e, false)
		if err != nil {
			in.p.o.Log.ErrorContext(ctx, "cannot tell whether an event has expired", "kind", in.source.Kind, "message", e.Place.Message, "err", err)
			in.p.retryLater(ctx, false, e.ID)
			return
		}
		if why != "" {
			in.drop(r, why)
			return
		}
	}
	if in.source.AtOnce {
		in.p.bg.Go(string(in.source.Kind), func(ctx context.Context) { in.run(ctx, r) })
		return
	}
	if in.shows(e) {
		in.p.o.Progress.Received(e.Place, in.p.convo.Busy(in.queueOf(e)))
	}
	if !in.steer(e) {
		in.p.convo.Add(in.work(e))
	}
}

// queueOf returns the conversation of an event.
func (in *Entry[E]) queueOf(e Event[E]) chat.ChannelID {
	if in.source.Queue != nil {
		return in.source.Queue(e.Body)
	}
	return e.Place.Channel
}

// work returns the queue item of an event.
func (in *Entry[E]) work(e Event[E]) convo.Work {
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
	if in.source.Ahead {
		// The earlier turn of its chain may be resumed as well, and was accepted before it.
		w.Message, w.Ahead = "", e.Arrival != Resumed
	}
	if e.Joins != "" {
		w.Joins = string(in.source.Kind) + "/" + e.Joins // events of different sources never share a turn
	}
	return w
}

// Replace replaces the queued event that has the same ID, and reports whether there was one. That event may
// belong to another source: a message may be edited into a command, or back.
func (in *Entry[E]) Replace(ctx context.Context, body E) bool {
	e := in.Event(body, Edited)
	if in.Objection(ctx, e) != access.Admitted {
		return false
	}
	e = in.tidy(e)
	e.Turn, e.Arrival = in.p.o.NewTurn(), Live
	if in.source.AtOnce && !in.p.convo.Take(e.Place.Channel, string(e.ID)) || !in.source.AtOnce && !in.p.convo.Replace(in.work(e)) {
		return false
	}
	wctx, cancel := Writing(ctx)
	defer cancel()
	if err := in.p.o.Inbox.UpdateBody(wctx, in.Row(e)); err != nil {
		in.p.o.Log.ErrorContext(ctx, "cannot update a waiting event", "message", e.Place.Message, "err", err)
	}
	if in.source.AtOnce {
		in.p.o.Progress.Ends(e.Place, lifecycle.Nothing) // it is no turn any more
		in.enqueue(ctx, e)
	}
	return true
}
