package pipeline

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/llm"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// A Source is one way in which work begins. It defines what is specific to its events; everything else, from the
// first guard to the settled row in the inbox, is up to the pipeline.
//
// Exactly one of Turn and Do is set. Every other function may be nil, except for Key.
type Source[E any] struct {
	Kind inbox.Kind // stored with each event, so it never changes

	Way    func(Event[E]) *access.Way // the rules for who may come in; with Claim, Turn has to apply them
	Guards []Guard[E]                 // run in this order; the first objection decides
	Key    func(E) Key                // returns the ID, the place and the user of an event
	Tidy   func(E) E                  // called after the guards; returns the event as it is stored and answered
	Allow  func(E) access.Refusal     // called for each new event after the guards, for a rate limit
	Store  func(E) any                // returns what the inbox stores of an event, as JSON; nil stores all of it
	Load   func([]byte) (E, error)    // decodes what Store returned; nil decodes it as an E

	Ignored  func(context.Context, E, access.Refusal)   // called for an event that a guard or Allow refused
	Refused  func(context.Context, Event[E], error)     // called for an event that could not be written to the inbox
	Accepted func(ctx context.Context, e Event[E]) bool // called for each new event; false means that it is settled already
	// called before the first attempt; false means that it must not begin and is settled already
	Start func(ctx context.Context, e Event[E]) bool
	// Expired returns why an event that is not live is dropped; empty if it is not. answered says that the
	// answer of its turn is in the ledger.
	Expired     func(ctx context.Context, e Event[E], answered bool) (Reason, error)
	Notices     func(Event[E], Reason) DropNotices            // returns the notices about a dropped event
	TellDropped func(context.Context, Event[E], string) error // delivers DropNotices.Text; nil replies in the channel
	Dropped     func(context.Context, Event[E], Reason)       // called after people were told, before the event is settled; must be idempotent

	// Claim accepts an event when its work begins, instead of when it arrives: the row replaces, in one
	// transaction, what stored the event until then. False means that the event is no longer there, or that
	// the write failed.
	Claim func(ctx context.Context, e Event[E], row inbox.Event) bool
	// Shown says that the progress of an event is shown on its message, if a person wrote that.
	Shown bool
	// Steered means that a further event of the same person, with the same Joins, stops the model's first answer, and that
	// both are answered together.
	Steered bool
	// Limited counts the turns of the source as turns of the person who causes them.
	Limited bool
	// Queue returns the conversation whose turns the work waits for; nil means that of its channel.
	Queue func(E) chat.ChannelID
	// Ahead puts work before all that waits in its conversation, where it stays if its message is deleted.
	Ahead bool
	// Next enqueues what goes on with a turn that is over and whose answer was kept back.
	Next func(Run[E])
	// AtOnce starts work without waiting for the turns of its conversation.
	AtOnce bool
	// Turn returns the turn for a run, and the message that it is about.
	Turn func(context.Context, Run[E]) (about chat.Message, t turn.Turn, err error)
	// Ending is called after a turn has succeeded, before its events are settled. It must be idempotent, since
	// a turn that is resumed after that calls it again.
	Ending func(context.Context, Run[E], turn.Report) error
	// Over is called after a turn, however it ended.
	Over func(context.Context, Run[E], turn.Report)
	// Do runs work that is not a turn, such as a command, and returns its reply.
	Do func(context.Context, Run[E]) (Done, error)
	// Reply delivers the reply of Do; nil replies in the channel.
	Reply func(ctx context.Context, r Run[E], text string) error
}

// A Guard returns why an event is not for the bot, or access.Admitted.
type Guard[E any] struct {
	Name    string
	Objects func(context.Context, Event[E]) access.Refusal
}

// A Key identifies an event, and says where it happened and who caused it.
type Key struct {
	ID        inbox.EventID
	DedupeKey string // see [inbox.Event]
	Repeat    bool
	Place     chat.Place // the conversation, and the message that the event is or is about
	By        chat.User
	Joins     string // neighbours in a queue with the same Joins share one turn
	// NoHistory means that By is known to lack the right to read earlier messages. It is looked up when the
	// event arrives, since it may not be known later.
	NoHistory bool
}

// An Arrival is how an event reached the pipeline.
type Arrival uint8

const (
	Live    Arrival = iota // received as it happened
	Missed                 // read later: the bot was away, or could not accept it
	Resumed                // left unfinished by an earlier process or an earlier attempt
	Edited                 // replaces a queued event
)

// An Event is something that happened, on its way through the pipeline.
type Event[E any] struct {
	Key
	Body     E
	Arrival  Arrival
	Turn     chat.TurnID
	Attempts int
	Unposted int  // tries that count towards MaxUnposted
	Begun    bool // its turn was begun before
	Accepted time.Time
}

// A Run is one turn or one command, with the events that share it, oldest first.
type Run[E any] struct {
	Turn   chat.TurnID
	Work   string // its ID in the queue of its conversation
	Events []Event[E]

	start *start
}

// Last returns the last event, to which the answer replies.
func (r Run[E]) Last() Event[E] { return r.Events[len(r.Events)-1] }

// Bodies returns the bodies of all events.
func (r Run[E]) Bodies() []E {
	list := make([]E, len(r.Events))
	for i, e := range r.Events {
		list[i] = e.Body
	}
	return list
}

// Tools returns the tools of a runtime for the turn. One that was interrupted only reads: which commands it had already run
// is not known.
func (r Run[E]) Tools(limit llm.ToolLevel) llm.ToolLevel {
	if limit.Allows(llm.ToolsRead) && slices.ContainsFunc(r.Events, func(e Event[E]) bool { return e.Arrival == Resumed }) {
		return llm.ToolsRead
	}
	return limit
}

// Begin records that the run has begun, in the transaction that writes the row of its placeholder.
func (r Run[E]) Begin(ctx context.Context, tx *store.Tx) error { return r.start.in(ctx, tx) }

// Keep keeps a value of the source's own until the run is over: what its Turn finds out, its Ending and Over may need.
func (r Run[E]) Keep(v any) {
	if r.start != nil { // else it is a test's, and nothing follows
		r.start.kept = v
	}
}

// Kept returns what was kept, or nil.
func (r Run[E]) Kept() any { return r.start.kept }

// With returns the same run with other events.
func With[E, F any](r Run[E], events ...Event[F]) Run[F] {
	return Run[F]{Turn: r.Turn, Work: r.Work, Events: events, start: r.start}
}

func (r Run[E]) ids() []inbox.EventID {
	list := make([]inbox.EventID, len(r.Events))
	for i, e := range r.Events {
		list[i] = e.ID
	}
	return list
}

// isUnpostable reports whether as many tries as are made could not be posted, with this one if it counts.
func (r Run[E]) isUnpostable(counts bool) bool {
	return slices.ContainsFunc(r.Events, func(e Event[E]) bool { return e.Unposted >= MaxUnposted || counts && e.Unposted == MaxUnposted-1 })
}

// batched returns the messages of the events, if they are several.
func (r Run[E]) batched() (list []chat.MessageID) {
	for _, e := range r.Events {
		if !slices.Contains(list, e.Place.Message) {
			list = append(list, e.Place.Message)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// Done is the result of work that is not a turn.
type Done struct {
	Command string // its name
	Message chat.Message
	Reply   string // empty for none
}

// A Reason is why an event is dropped. The empty Reason means that it is not.
type Reason string

// Reasons that all sources share. A source may define others.
const (
	TooManyAttempts Reason = "the process ended each time"
	Interrupted     Reason = "the process ended in the middle of it"
	Unposted        Reason = "Discord did not take the answer"
)

// A DropNotices holds the notices about a dropped event. An empty one is not sent.
type DropNotices struct {
	Text   string // for the channel of the event
	Report string // for the operators
}

// A start records once that a turn has begun: in the transaction that writes the row of its placeholder, or else
// before the model is called.
type start struct {
	pipeline *Pipeline
	turn     chat.TurnID
	events   []inbox.EventID
	kept     any // see [Run.Keep]

	mu      sync.Mutex
	written bool
}

// write records the start, unless that has been done. It returns false if the turn may not begin, because its
// events were cancelled.
func (s *start) write(ctx context.Context) (ours bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written {
		return true, nil
	}
	ctx, cancel := Writing(ctx)
	defer cancel()
	err = s.pipeline.o.Inbox.Tx(ctx, func(tx *store.Tx) (err error) {
		ours, err = s.pipeline.o.Inbox.Begin(ctx, tx, s.turn, s.events...)
		return err
	})
	if err != nil {
		s.pipeline.o.Log.ErrorContext(ctx, "cannot begin a turn", "err", err)
		return false, &turn.NotWritten{Full: errors.Is(err, store.ErrFull), Cause: store.Plain(err)}
	}
	s.written = ours
	return ours, nil
}

// in records the start in the transaction that writes the row of the placeholder. If that fails, there is no reply,
// and the model is not called.
func (s *start) in(ctx context.Context, tx *store.Tx) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written {
		return nil
	}
	ours, err := s.pipeline.o.Inbox.Begin(ctx, tx, s.turn, s.events...)
	if err == nil && !ours {
		err = errCancelled
	}
	s.written = err == nil
	return err
}
