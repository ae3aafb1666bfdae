// Package turn runs one turn, whatever began it: it asks the model, shows the answer
// as it grows, executes the actions in it, reports, and asks again while there is a
// reason to.
//
// A flow says in a [Turn] where the answer goes and what may run; [Runner.Run] does
// the rest. Four rules hold for every turn. Only a complete answer is acted on. A
// placeholder is never left behind: it becomes the answer or an error message, or it is
// deleted. Receipts name only messages that were delivered. And a turn whose [Ledger]
// cannot be written stops before its next effect, since it could not be resumed.
package turn

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn/class"
)

// A Turn is everything one exchange needs.
type Turn struct {
	Origin     actions.Origin
	Gate       actions.Gate
	Dialects   dialect.List // in which the model may write requests; empty means blocks
	Prompt     Prompt
	Venue      Venue
	Model      llm.Choice           // empty means the runtime's own choice
	Role       string               // of the model, as in package roles; for the records
	Job        string               // the scheduled job that this is a run of; may be empty
	Tools      llm.ToolLevel        // that the runtime may use of its own, at most; empty means none
	Handles    *chat.Handles        // of the messages that Prompt shows; nil if it shows none
	Outside    *chat.Reading        // the outside texts that Prompt shows; nil if it shows none
	Wish       func() *actions.Wish // returns the words that ask for what is done; nil if there are none
	FollowUps  int                  // how many follow-up rounds there may be at most
	Remark     string               // stands above the first answer; may be empty
	AllowEmpty bool                 // an empty answer is allowed and shows nothing
	Shape      func(string) string  // returns what people read of an answer's text; nil leaves it
	Grows      func(text string)    // called with what people may read of an answer so far, whenever there is more of it; nil for nothing
	Judge      Judge                // of its last answer; nil means that it is a completion
	Continue   Continue             // asked about a last answer that only says that it goes on; nil means that it is posted
	Label      string               // the placeholder's text until there is an answer; empty means the usual one
	Changes    int                  // made by the turns that this one continues
	Before     string               // what earlier turns kept back: shown if this one has nothing to say
	Asked      func() string        // returns the words of the message that is answered, for an answer that quotes them; nil for none
	MuteNotice string               // stands below an answer after which the bot is silent where it is; may be empty
	Buttons    Buttons              // the buttons below the last answer; nil means none
	Background bool                 // no member waits for it: nothing is shown if it is stopped before its first action, or requeued
	Commit     func() error         // called before the turn has its first effect; with an ErrSteered it has none. Nil means that it may
}

// Buttons returns the buttons below the last answer of a turn. Idle means that the turn has certainly changed nothing.
type Buttons func(idle bool) []chat.Button

// A Judge returns the class of an answer.
type Judge func(ctx context.Context, text string) class.Class

// Continue has another turn go on with the placeholder of an answer, which is kept back then. It returns what the placeholder shows
// until then. With an error the answer is posted; a nil error stays so when the turn is resumed.
type Continue func(ctx context.Context, kept Kept) (label string, err error)

// Kept is an answer that is kept back.
type Kept struct {
	Text        string
	Outside     chat.Sources // all that was read before it
	Placeholder string       // its key
	Posted      bool         // it is not kept back: people have it, and the model asked for another turn
	Changes     int          // that the turn has made, and those before it of which it was told
	Acted       bool         // the turn may have changed something, also what does not count among Changes
}

// ErrNotNow means that no other turn goes on.
var ErrNotNow = errors.New("nothing goes on with this turn")

// A Prompt builds the model's requests.
type Prompt interface {
	First(ctx context.Context) (llm.Request, error)
	// Next is the request of a follow-up round, after answer and the outcomes in came.
	// Last says that no further round follows.
	Next(req llm.Request, answer llm.Message, why actions.Reason, came actions.Round, last bool) llm.Request
}

// A Venue is where the answers of a turn go, one for each round. Only that of a look-up gives way to the next in its place.
type Venue interface {
	// Open posts the placeholder of an answer. If an earlier process has opened one
	// under the same key, it is reused.
	Open(ctx context.Context, key, label string) (Reply, error)
}

// First is the key of the first answer of a turn.
const First = "0"

// A Reply is one answer while it grows. Exactly one of Finish, Discard and Leave ends it.
type Reply interface {
	// Preview shows the text so far. Its errors do no harm.
	Preview(ctx context.Context, text string) error
	// Finish makes the body the answer. With an error, the receipt has the delivered part.
	Finish(ctx context.Context, b Body) (chat.Receipt, error)
	// Discard deletes the reply.
	Discard(ctx context.Context) error
	// Leave shows a label and leaves the reply to another turn.
	Leave(ctx context.Context, label string)
}

// A Body is the content of an answer, before it is split into messages.
type Body struct {
	Remark   string // stands above the text; may be empty
	Text     string
	Notices  []string // stand below it
	Pictures []chat.File
	Buttons  []chat.Button // below the last message
}

// A Result describes a turn that has run.
type Result struct {
	Text     string // everything that was posted, blank line between answers
	Receipts []chat.Receipt
	Model    llm.Choice
	Rounds   []Round      // one for each time the model was asked
	Outside  chat.Sources // the outside texts that may be in Text
	Capsule  Capsule

	Class       class.Class     // of the last answer
	Due         bool            // there was an answer to deliver
	Undelivered bool            // and not all of it could be
	KeptBack    string          // the answer that was not posted, since another turn goes on
	GoesOn      bool            // another turn goes on
	Control     dialect.Control // what the last answer says about its own delivery, as far as it counts
}

// A Capsule is what a model tells its later turns about where it was: the last that it wrote in a turn.
type Capsule struct {
	Text    string       // a line for each field; empty if there was none
	Outside chat.Sources // the outside texts that may be in it
}

// A Round describes one answer of the model.
type Round struct {
	actions.Round
	Prompt []llm.Section
	Answer int // bytes
	Usage  llm.Usage
	By     llm.Charged // which model it was, and what it cost; the zero value if the runtime does not say
}

// Outcomes are those of all rounds.
func (r Result) Outcomes() []actions.Outcome {
	var all []actions.Outcome
	for _, round := range r.Rounds {
		all = append(all, round.Outcomes...)
	}
	return all
}

// Causes of a cancelled turn that the reader is told about.
var (
	// ErrStopped means that the turn was stopped. If a member did that, the error is a *Stopped.
	ErrStopped = errors.New("the turn was stopped")
	// ErrGoingDown means that the process is shutting down, whether or not it is started again.
	ErrGoingDown = errors.New("the bot is going offline")
)

// ErrSteered is the ErrStopped of a turn whose requester has written more before it had any effect. Another turn answers
// all of it, so that this one leaves nothing behind.
var ErrSteered error = steered{}

type steered struct{}

func (steered) Error() string {
	return "its requester has written more, and another turn answers all of it"
}
func (steered) Is(target error) bool { return target == ErrStopped }

// Stopped is the ErrStopped of a turn that a member stopped, or nobody: the call in which it was to answer did.
type Stopped struct{ By chat.UserID }

func (*Stopped) Error() string        { return ErrStopped.Error() }
func (*Stopped) Is(target error) bool { return target == ErrStopped }

// StoppedText says that work was stopped, and by whom if that is known.
func StoppedText(err error) string {
	if by := (*Stopped)(nil); errors.As(err, &by) && by.By != "" {
		return "stopped by <@" + string(by.By) + ">"
	}
	return "stopped"
}

// ErrNoReply means that not even the placeholder could be posted. The model was not
// asked.
var ErrNoReply = errors.New("no reply could be opened")

// A Report describes a finished turn or command, for the journal, the operators and the
// playground.
type Report struct {
	ID       chat.TurnID
	Command  string // the command that was run; then no model was asked, and there is no Result
	Origin   actions.Origin
	Gate     actions.Gate
	Message  chat.Message     // that began it, or was reacted to
	Batched  []chat.MessageID // the messages that it answers, if they are several
	By       chat.User        // its author, or the member who reacted
	Began    time.Time
	Took     time.Duration
	Requests int // to Discord
	Result
	Err      error // nil for a turn that completed
	Requeued bool  // it is resumed: after the next start, or when Discord or the disk works again
}

// A Failure ends a turn with a sentence for the reader, without a full stop; operators also read its
// remedy. Other errors stay in the log.
type Failure struct{ Err error }

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

type logKey struct{}

// WithLog returns a context whose log lines belong to a turn: the log handler adds
// [LogAttrs] to each.
func WithLog(ctx context.Context, o actions.Origin) context.Context {
	return context.WithValue(ctx, logKey{}, []slog.Attr{
		slog.String("turn", string(o.Turn)), slog.String("flow", string(o.Flow)), slog.String("channel", string(o.Place.Channel)),
	})
}

// LogAttrs are the attributes of the turn in ctx; none outside of a turn.
func LogAttrs(ctx context.Context) []slog.Attr {
	attrs, _ := ctx.Value(logKey{}).([]slog.Attr)
	return attrs
}
