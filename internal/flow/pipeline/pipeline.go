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
// Events that an earlier process left unfinished are admitted and enqueued once more.
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
	// Over is called after every turn and every command that began and was not done before.
	Over func(context.Context, turn.Report)
	// Recovered is called when events can be accepted again.
	Recovered func()
	Progress  *lifecycle.Driver                                     // shows on messages how far their turns are; nil shows nothing
	Report    func(ctx context.Context, k status.Kind, what string) // sends a notice to the operators
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

// Acted reports whether an earlier attempt at a turn may have done anything that people have not read of.
func (p *Pipeline) Acted(ctx context.Context, id chat.TurnID) (bool, error) {
	t, err := p.o.Ledger.Open(ctx, id)
	return err == nil && t.Acted(), err
}

// Adrift reports whether the placeholder of a turn may have been posted, and the process was killed before it knew which message that is.
func (p *Pipeline) Adrift(ctx context.Context, id chat.TurnID) bool {
	m, begun, err := p.o.Outbox.Of(id, nil).Posted(ctx, turn.First)
	return err == nil && begun && m == ""
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

// Writing returns a context for a database write that must happen even if ctx is cancelled.
func Writing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
}

// queueOf returns the conversation of an event.
func (in *Entry[E]) queueOf(e Event[E]) chat.ChannelID {
	if in.source.Queue != nil {
		return in.source.Queue(e.Body)
	}
	return e.Place.Channel
}
