package turn

import (
	"context"
	"fmt"
	"strconv"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A Ledger records the progress of one turn. After a crash the turn is resumed from it:
// recorded answers are not requested, and paid, twice, and no action is done twice.
type Ledger interface {
	// Answer returns the recorded answer of a round.
	Answer(round int) (Answer, bool)
	// Answered records an answer before it has any effect.
	Answered(ctx context.Context, round int, a Answer)
	// Actions returns the progress of the actions of a round.
	Actions(round int) actions.Progress
	// Receipt returns the messages of a round that was certainly delivered whole.
	Receipt(round int) (chat.Receipt, bool)
	// Delivered records that a round was delivered whole. The receipt has no
	// messages if there was nothing to show.
	Delivered(ctx context.Context, round int, r chat.Receipt)
	// Err is the first write error. Nothing is recorded after it, and the turn stops before
	// its next effect.
	Err() error
}

// NotWritten ends a turn whose ledger could not be written. It is resumed when writing
// works again.
type NotWritten struct {
	Full  bool  // the disk is full
	Cause error // of the database, in words for people
}

func (e *NotWritten) Error() string { return e.Cause.Error() }

// Permanent is false: the turn is resumed later.
func (*NotWritten) Permanent() bool { return false }

// An Answer is one recorded answer of the model.
type Answer struct {
	Text     string
	Calls    []llm.ToolCall // that came with it
	Pictures int            // that came with it; they are not stored
	Usage    llm.Usage
	Outside  chat.Sources          // the outside texts that were read before it
	Handles  map[string]chat.Place // that the text and the calls have, so that they mean the same in a resumed turn
}

// noLedger is the ledger of a turn that cannot be resumed.
type noLedger struct{}

func (noLedger) Answer(int) (Answer, bool)                    { return Answer{}, false }
func (noLedger) Answered(context.Context, int, Answer)        {}
func (noLedger) Actions(int) actions.Progress                 { return nil }
func (noLedger) Receipt(int) (chat.Receipt, bool)             { return chat.Receipt{}, false }
func (noLedger) Delivered(context.Context, int, chat.Receipt) {}
func (noLedger) Err() error                                   { return nil }

func (r *Runner) remember(ctx context.Context, turn chat.TurnID) (Ledger, error) {
	if r.Remember == nil || turn == "" {
		return noLedger{}, nil
	}
	ledger, err := r.Remember(ctx, turn)
	if err != nil {
		return nil, fmt.Errorf("look up how far the turn has come: %w", err)
	}
	return ledger, nil
}

// restoreHandles gives the handles in recorded answers their meaning, before the prompt gives any: it may
// show other messages now.
func (r *running) restoreHandles() {
	for n := 0; ; n++ {
		known, ok := r.ledger.Answer(n)
		if !ok {
			return
		}
		r.Handles.Restore(known.Handles)
	}
}

// open returns the reply of a round: that of a look-up that it replaces, or else a new one. If the ledger has a receipt, it returns
// that. A round without one before one that has one was a look-up, which the later round has replaced.
func (r *running) open(ctx context.Context, n int) (Reply, error) {
	if reply := r.unfinished; reply != nil {
		r.unfinished = nil
		return reply, nil
	}
	r.key = strconv.Itoa(n)
	for later, known := n, true; known; later++ {
		if receipt, ok := r.ledger.Receipt(later); ok {
			return delivered{receipt}, nil
		}
		_, known = r.ledger.Answer(later)
	}
	return r.Venue.Open(ctx, r.key, r.label)
}

// delivered is a reply that was delivered before the turn was resumed.
type delivered struct{ receipt chat.Receipt }

func (delivered) Preview(context.Context, string) error { return nil }

func (delivered) Discard(context.Context) error { return nil }

func (delivered) Leave(context.Context, string) {}

func (d delivered) Finish(context.Context, Body) (chat.Receipt, error) { return d.receipt, nil }

// modelAnswer returns the answer of a round from the ledger, or asks the model and
// records what it answers.
func (r *running) modelAnswer(ctx context.Context, n int, reply Reply) (string, error) {
	if known, ok := r.ledger.Answer(n); ok {
		r.acted = true // what tools did in an earlier process is not recorded
		r.pictures, r.calls = pictures{lost: known.Pictures}, known.Calls
		r.Outside.Add(known.Outside)
		r.result.Rounds = append(r.result.Rounds, Round{Prompt: r.req.Sections, Answer: len(known.Text) + len(r.callsText()), Usage: known.Usage})
		return known.Text, nil
	}
	text, err := r.streamAnswer(ctx, reply)
	if err == nil {
		err = r.commit()
	}
	if err == nil {
		usage := r.result.Rounds[len(r.result.Rounds)-1].Usage
		r.ledger.Answered(ctx, n, Answer{Text: text, Calls: r.calls, Pictures: r.pictures.count(), Usage: usage,
			Outside: r.Outside.All(), Handles: r.Handles.In(text + r.callsText())})
		err = r.ledger.Err()
	}
	return text, err
}

// noteDelivery records that a round was delivered, where a resumed turn needs to know.
// A resumed last round is delivered again into the same messages, which is idempotent;
// but pictures are not stored, a round before the last must not be edited after the next
// one has begun, and a turn that is not resumed tells what may have been done, unless it
// stands there.
func (r *running) noteDelivery(ctx context.Context, reply Reply, n int, round actions.Round) error {
	if _, before := reply.(delivered); before || !r.acted && !r.pictures.any() && actions.FollowUp(round) == actions.NoFollowUp {
		return nil
	}
	r.ledger.Delivered(ctx, n, r.receipt)
	return r.ledger.Err()
}
