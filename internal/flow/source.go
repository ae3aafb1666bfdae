package flow

import (
	"context"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/turn"
)

// A Source is one way in which work begins. It says what is particular about its events; what
// they have in common, from the first guard to the settled row in the inbox, is the pipeline's.
//
// Exactly one of Turn and Do is set. Every other function may be nil, except for Key.
type Source[E any] struct {
	Kind inbox.Kind // stored with each event, so it never changes

	Way    func(Event[E]) *access.Way // who may come in, and whose rules they follow; with Claim, Turn asks who may
	Guards []Guard[E]                 // in this order; the first objection decides
	Key    func(E) Key                // identifies and places an event
	Tidy   func(E) E                  // makes of an event what is stored and answered, after the guards
	Allow  func(E) access.Refusal     // asked about each new event after the guards, such as a rate limit
	Store  func(E) any                // what the inbox keeps of an event, as JSON; nil means all of it
	Load   func([]byte) (E, error)    // reads that

	Ignored  func(context.Context, E, access.Refusal)   // told of an event to which a guard objected
	Refused  func(context.Context, Event[E], error)     // told of an event that could not be written down
	Accepted func(ctx context.Context, e Event[E]) bool // told of each new event; false means that it is settled already
	Start    func(ctx context.Context, e Event[E]) bool // asked before the work begins for the first time; false means that it does not, and is settled already
	// Expired is why an event that is not live is dropped. Answered says that the answer of its
	// turn is in the ledger.
	Expired func(ctx context.Context, e Event[E], answered bool) (Reason, error)
	Dropped func(Event[E], Reason) Farewell               // what people are told of that
	Tell    func(context.Context, Event[E], string) error // tells them; nil replies in the channel

	// Claim accepts an event when its work begins instead of when it is told: its row takes the
	// place of what was kept of it until then. False means that somebody else has it.
	Claim func(ctx context.Context, e Event[E], row inbox.Event) bool
	// AtOnce does not wait for the turns of its conversation.
	AtOnce bool
	// Turn returns the turn of some events, and the message that it is about.
	Turn func(context.Context, Run[E]) (about chat.Message, t turn.Turn, err error)
	// Ending is told of a turn that came to its end, before that is written down. A turn that is resumed
	// after that comes to it again.
	Ending func(context.Context, Run[E], turn.Report) error
	// Over is told of a turn that is over.
	Over func(context.Context, Run[E], turn.Report)
	// Do runs what is no turn, and returns what there is to say.
	Do func(context.Context, Run[E]) (Done, error)
	// Reply delivers that; nil replies in the channel.
	Reply func(ctx context.Context, r Run[E], text string) error
}

// A Guard says why an event is not for the bot, or nothing.
type Guard[E any] struct {
	Name    string
	Objects func(context.Context, Event[E]) access.Refusal
}

// A Key identifies an event and places it.
type Key struct {
	ID        inbox.EventID
	DedupeKey string // see [inbox.Event]
	Repeat    bool
	Place     chat.Place // the conversation, and the message that the event is or is about
	By        chat.User
	Joins     string // neighbours in a queue with the same Joins have one turn together
	// NoHistory says that who did it is known not to see what was said before. It is looked up
	// when the event is told, since later nobody may know.
	NoHistory bool
}

// An Arrival is how an event came to the bot.
type Arrival uint8

const (
	Live    Arrival = iota // told as it happened
	Missed                 // read afterwards: nobody listened, or it could not be accepted
	Resumed                // left by an earlier process, or by an earlier try
	Edited                 // it takes the place of one that waits
)

// An Event is something that happened, on its way through the pipeline.
type Event[E any] struct {
	Key
	Body     E
	Arrival  Arrival
	Turn     chat.TurnID
	Attempts int
	Begun    bool // its turn was begun before
	Accepted time.Time
}

// A Run is one turn, or one command, with the events that have it together, oldest first.
type Run[E any] struct {
	Turn   chat.TurnID
	Work   string // names it for who stops it
	Events []Event[E]

	start *start
}

// Last is the event that the answer replies to.
func (r Run[E]) Last() Event[E] { return r.Events[len(r.Events)-1] }

// Bodies are those of all events.
func (r Run[E]) Bodies() []E {
	list := make([]E, len(r.Events))
	for i, e := range r.Events {
		list[i] = e.Body
	}
	return list
}

func (r Run[E]) ids() []inbox.EventID {
	list := make([]inbox.EventID, len(r.Events))
	for i, e := range r.Events {
		list[i] = e.ID
	}
	return list
}

// Done is what came of something that is no turn.
type Done struct {
	Command string // its name
	Message chat.Message
	Reply   string // empty for nothing
}

// A Reason is why an event is dropped. The empty Reason lets it go on.
type Reason string

// Reasons that all sources share. A source may have others.
const (
	TooManyAttempts Reason = "the process ended each time"
	Interrupted     Reason = "the process ended in the middle of it"
)

// A Farewell is what people are told of an event that is dropped. Empty texts are not told.
type Farewell struct {
	Text   string // where it happened
	Report string // to the operators
}
