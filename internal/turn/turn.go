// Package turn runs one turn, whatever began it: it asks the model, shows the answer
// as it grows, carries out the actions in it, reports, and asks again while
// there is a reason to.
//
// A flow says in a [Turn] where the answer goes and what may run; [Runner.Run] does
// the rest. Four rules hold for every turn. Nothing is carried out from an answer
// that did not arrive whole. A placeholder never stays behind: it becomes the
// answer, a sentence that says what went wrong, or it is taken away. What is
// reported as delivered was delivered. And a turn whose [Ledger] cannot be written stops
// before its next effect, since nobody could resume it.
package turn

import (
	"context"
	"errors"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A Turn is everything one exchange needs.
type Turn struct {
	Origin    actions.Origin
	Gate      actions.Gate
	Dialects  dialect.List // how the model may write requests; empty means blocks
	Prompt    Prompt
	Venue     Venue
	Model     llm.Choice // empty means the runtime's own choice
	FollowUps int        // how often the model may be asked again
	Remark    string     // stands above the first answer; may be empty
	MayPass   bool       // the model need not say anything; then nothing is shown
	Unawaited bool       // nobody waits for it: if it is ended before it has done anything, or goes on later, nothing is shown
}

// A Prompt says what the model is asked.
type Prompt interface {
	First(ctx context.Context) (llm.Request, error)
	// Next continues the conversation of req after the model's answer and what came
	// of it. Last says that the model is not asked again after that.
	Next(req llm.Request, answer string, why actions.Reason, came actions.Round, last bool) llm.Request
}

// A Venue is where the answers of a turn go, one for each time the model is asked.
type Venue interface {
	// Open shows that an answer is on its way. An answer that an earlier process has
	// opened under the same key is resumed where it is.
	Open(ctx context.Context, key, label string) (Reply, error)
}

// First is the key of the first answer of a turn.
const First = "0"

// A Reply is one answer while it grows. Exactly one of Finish and Discard ends it.
type Reply interface {
	// Preview shows what there is so far. It may fail without harm.
	Preview(ctx context.Context, text string) error
	// Finish makes the body the answer. After an error, the receipt has what was delivered.
	Finish(ctx context.Context, b Body) (chat.Receipt, error)
	// Discard takes the reply away.
	Discard(ctx context.Context) error
}

// A Body is what an answer says, before it becomes messages.
type Body struct {
	Remark   string // stands above the text; may be empty
	Text     string
	Notices  []string // stand below it
	Pictures []chat.File
}

// A Result is what came of a turn.
type Result struct {
	Text     string // everything that was posted, blank line between answers
	Receipts []chat.Receipt
	Model    llm.Choice
	Rounds   []Round // one for each time the model was asked
}

// A Round is what came of asking the model once.
type Round struct {
	actions.Round
	Prompt []llm.Section
	Answer int // bytes
	Usage  llm.Usage
}

// Outcomes are those of all rounds.
func (r Result) Outcomes() []actions.Outcome {
	var all []actions.Outcome
	for _, round := range r.Rounds {
		all = append(all, round.Outcomes...)
	}
	return all
}

// Causes for ending a turn's context that the reader is told about.
var (
	// ErrStopped means that somebody stopped the turn.
	ErrStopped = errors.New("the turn was stopped")
	// ErrRestarting means that the bot is going down.
	ErrRestarting = errors.New("the bot is restarting")
)

// ErrNoReply means that the reader could not be shown anything, not even that an
// answer is on its way. Nothing was asked of the model.
var ErrNoReply = errors.New("no reply could be opened")
