package turn

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A Ledger is what is written down of one turn while it runs. If the process is killed,
// another one takes from there what happened already, instead of letting it happen
// again: the model is not asked, and paid, twice, and nothing is done twice.
type Ledger interface {
	// Answer is what the model answered in a round, if it did.
	Answer(round int) (Answer, bool)
	// Answered writes an answer down, before anything comes of it.
	Answered(ctx context.Context, round int, a Answer)
	// Actions is how far what the answer of a round asks for has come.
	Actions(round int) actions.Progress
	// Receipt is where the reader saw all of a round, if that is certain.
	Receipt(round int) (chat.Receipt, bool)
	// Delivered writes down that the reader saw all of a round. The receipt has no
	// messages if there was nothing to see.
	Delivered(ctx context.Context, round int, r chat.Receipt)
	// Err is why something could not be written down; then nothing else is either. The turn
	// stops before its next effect.
	Err() error
}

// NotWritten is why a turn stopped: how far it has come could not be written down. It goes on
// when that is possible.
type NotWritten struct {
	Full bool // the disk is full
}

func (e *NotWritten) Error() string {
	if e.Full {
		return "the bot's disk is full, and whoever runs it has to make room first"
	}
	return "the bot's database cannot be written to; its log says why"
}

// Permanent says that it may work later.
func (*NotWritten) Permanent() bool { return false }

// An Answer is what a model answered.
type Answer struct {
	Text     string
	Pictures int // that came with it; they are not kept
	Usage    llm.Usage
}

// forgetful is the ledger of a turn that nobody can go on with.
type forgetful struct{}

func (forgetful) Answer(int) (Answer, bool)                    { return Answer{}, false }
func (forgetful) Answered(context.Context, int, Answer)        {}
func (forgetful) Actions(int) actions.Progress                 { return nil }
func (forgetful) Receipt(int) (chat.Receipt, bool)             { return chat.Receipt{}, false }
func (forgetful) Delivered(context.Context, int, chat.Receipt) {}
func (forgetful) Err() error                                   { return nil }

func (r *Runner) remember(ctx context.Context, turn chat.TurnID) (Ledger, error) {
	if r.Remember == nil || turn == "" {
		return forgetful{}, nil
	}
	ledger, err := r.Remember(ctx, turn)
	if err != nil {
		return nil, fmt.Errorf("look up how far the turn has come: %w", err)
	}
	return ledger, nil
}

// open opens the reply of a round. One that the reader has seen already stays as it is.
func (r *running) open(ctx context.Context, n int) (Reply, error) {
	if receipt, ok := r.ledger.Receipt(n); ok {
		return delivered{receipt}, nil
	}
	return r.Venue.Open(ctx, r.key, r.label)
}

// delivered is a reply that the reader has seen.
type delivered struct{ receipt chat.Receipt }

func (delivered) Preview(context.Context, string) error { return nil }

func (delivered) Discard(context.Context) error { return nil }

func (d delivered) Finish(context.Context, Body) (chat.Receipt, error) { return d.receipt, nil }

// hear returns the answer of a round: the one that the model gave before, or a new one,
// which is written down.
func (r *running) hear(ctx context.Context, n int, reply Reply) (string, error) {
	if known, ok := r.ledger.Answer(n); ok {
		r.pictures = pictures{lost: known.Pictures}
		r.result.Rounds = append(r.result.Rounds, Round{Prompt: r.req.Sections, Answer: len(known.Text), Usage: known.Usage})
		return known.Text, nil
	}
	text, err := r.listen(ctx, reply)
	if err == nil {
		usage := r.result.Rounds[len(r.result.Rounds)-1].Usage
		r.ledger.Answered(ctx, n, Answer{Text: text, Pictures: r.pictures.count(), Usage: usage})
		err = r.ledger.Err()
	}
	return text, err
}

// noteDelivery writes down that the reader has seen a round, if that matters: who takes
// the turn up in its last round delivers the same once more, into the same messages.
// But pictures are not there any more to be delivered, and after a further answer has
// begun, nobody should look after this one.
func (r *running) noteDelivery(ctx context.Context, reply Reply, n int, round actions.Round) error {
	if _, before := reply.(delivered); before || !r.pictures.any() && actions.FollowUp(round) == actions.NoFollowUp {
		return nil
	}
	r.ledger.Delivered(ctx, n, r.receipt)
	return r.ledger.Err()
}
