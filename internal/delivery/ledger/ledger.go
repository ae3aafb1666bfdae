// Package ledger records how far turns have come, so that a turn can be resumed after a
// crash.
//
// [Ledger.Open] loads the records of a turn. A [Turn] records each answer of the model
// before its first effect, each action before it runs and after, and the receipt of a
// delivered answer; a turn that is resumed under the same ID finds them. Answers are stored as the
// model wrote them, since they could not be resumed otherwise. So Close deletes
// everything about a turn that will not be resumed.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// Retention is how long a turn is kept that was never closed. An older one is not resumed.
const Retention = 24 * time.Hour

// timeout bounds a read or a write. The context of the turn does not: what a stopped turn did is
// recorded as well, and that it was stopped is no failure to read.
const timeout = 10 * time.Second

// A Ledger is for all turns. It is safe for concurrent use.
type Ledger struct {
	db  *store.DB
	log *slog.Logger
}

// New returns a ledger over a database that is open when it is used.
func New(db *store.DB, log *slog.Logger) *Ledger {
	db.Retain("rounds", "at", Retention)
	return &Ledger{db: db, log: log}
}

// Open loads the records of a turn.
func (l *Ledger) Open(ctx context.Context, id chat.TurnID) (*Turn, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	t := &Turn{ledger: l, id: id, rounds: map[int]*round{}}
	if err := errors.Join(t.readRounds(ctx), t.readSteps(ctx)); err != nil {
		l.log.ErrorContext(ctx, "cannot read how far a turn has come", "turn", id, "err", err)
		return nil, store.Plain(err)
	}
	return t, nil
}

// Close deletes everything about a turn, in a transaction of the caller's.
func (l *Ledger) Close(ctx context.Context, tx *store.Tx, turn chat.TurnID) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM rounds WHERE turn = ?", turn)
	return err
}

// A Turn is the record of one turn. Its methods are not safe for concurrent use.
type Turn struct {
	ledger *Ledger
	id     chat.TurnID
	rounds map[int]*round // of an earlier attempt
	err    error          // of the first write that failed; nothing is written after it
}

// A call is a function call as it is stored. Its input may be malformed, and is kept to the byte: a resumed turn
// recognises by it what was done.
type call struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input []byte `json:"input"`
	Seal  []byte `json:"seal,omitempty"`
}

type round struct {
	answer  turn.Answer
	receipt *chat.Receipt // nil if it may not have been delivered
	steps   map[string]actions.Record
}

// Answer returns the model's answer from an earlier attempt.
func (t *Turn) Answer(n int) (turn.Answer, bool) {
	known, ok := t.rounds[n]
	if !ok {
		return turn.Answer{}, false
	}
	return known.answer, true
}

// Acted reports whether a request of an earlier attempt may have run, and people may not have read what came of it.
func (t *Turn) Acted() bool {
	for _, known := range t.rounds {
		if len(known.steps) > 0 && known.receipt == nil {
			return true
		}
	}
	return false
}

// Answered records an answer.
func (t *Turn) Answered(ctx context.Context, n int, a turn.Answer) {
	var calls []call
	for _, c := range a.Calls {
		calls = append(calls, call{c.ID, c.Name, c.Input, c.Seal})
	}
	t.write(ctx, `INSERT INTO rounds (turn, round, answer, calls, handles, outside, pictures, input_tokens, output_tokens, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, t.id, n, a.Text, store.JSON(calls), store.JSON(a.Handles), string(a.Outside), a.Pictures,
		a.Usage.Input, a.Usage.Output, time.Now().UnixMicro())
}

// Receipt returns the messages of a round that was delivered in whole.
func (t *Turn) Receipt(n int) (chat.Receipt, bool) {
	known, ok := t.rounds[n]
	if !ok || known.receipt == nil {
		return chat.Receipt{}, false
	}
	return *known.receipt, true
}

// Delivered records that a round was delivered in whole.
func (t *Turn) Delivered(ctx context.Context, n int, r chat.Receipt) {
	t.write(ctx, "UPDATE rounds SET delivered = ? WHERE turn = ? AND round = ?", store.JSON(r), t.id, n)
}

// Actions returns the records of the actions of an answer.
func (t *Turn) Actions(n int) actions.Progress {
	p := &progress{turn: t, round: n}
	if known, ok := t.rounds[n]; ok {
		p.known = known.steps
	}
	return p
}

// write executes a statement, unless an earlier one failed: the record that a resumed turn finds
// has no holes.
func (t *Turn) write(ctx context.Context, query string, args ...any) error {
	if t.err != nil {
		return t.err
	}
	wctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	if _, err := t.ledger.db.ExecContext(wctx, query, args...); err != nil {
		t.fail(ctx, err)
	}
	return t.err
}

func (t *Turn) fail(ctx context.Context, err error) {
	t.ledger.log.ErrorContext(ctx, "cannot write the ledger of a turn", "err", err)
	t.err = &turn.NotWritten{Full: errors.Is(err, store.ErrFull), Cause: store.Plain(err)}
}

// Err returns the error of the first write that failed, if there is one.
func (t *Turn) Err() error { return t.err }

func (t *Turn) readRounds(ctx context.Context) error {
	_, err := store.All(ctx, t.ledger.db, func(row store.Row) (n int, err error) {
		var calls []call
		known := &round{steps: map[string]actions.Record{}}
		err = row.Scan(&n, &known.answer.Text, store.JSON(&calls), store.JSON(&known.answer.Handles), &known.answer.Outside,
			&known.answer.Pictures, &known.answer.Usage.Input, &known.answer.Usage.Output, store.JSON(&known.receipt))
		for _, c := range calls {
			known.answer.Calls = append(known.answer.Calls, llm.ToolCall{ID: c.ID, Name: c.Name, Input: c.Input, Seal: c.Seal})
		}
		t.rounds[n] = known
		return n, err
	}, "SELECT round, answer, calls, handles, outside, pictures, input_tokens, output_tokens, delivered FROM rounds WHERE turn = ?", t.id)
	return err
}

// progress records the actions of a round.
type progress struct {
	turn  *Turn
	round int
	known map[string]actions.Record // by an earlier attempt
}

// Recall returns the record of a request from an earlier attempt.
func (p *progress) Recall(name string) (actions.Record, bool) {
	r, ok := p.known[name]
	return r, ok
}

// IdempotencyKey returns a key that is unique among the requests of the turn.
func (p *progress) IdempotencyKey(name string) string {
	return fmt.Sprintf("action %d %s", p.round, name)
}

// Begin records that a request may have run from now on. It fails if its answer could not be
// recorded: a resumed turn would ask the model again, which may request the same in other
// words.
func (p *progress) Begin(ctx context.Context, name string) error {
	return p.turn.write(ctx, "INSERT INTO steps (turn, round, request) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", p.turn.id, p.round, name)
}

// Settle records the results of requests.
func (p *progress) Settle(ctx context.Context, records map[string]actions.Record) {
	var values []string
	var args []any
	for name, r := range records {
		text, err := json.Marshal(r)
		if err != nil {
			p.turn.fail(ctx, err)
			return
		}
		values, args = append(values, "(?, ?, ?, ?)"), append(args, p.turn.id, p.round, name, string(text))
	}
	p.turn.write(ctx, "INSERT INTO steps (turn, round, request, record) VALUES "+strings.Join(values, ", ")+
		" ON CONFLICT DO UPDATE SET record = excluded.record", args...)
}

func (t *Turn) readSteps(ctx context.Context) error {
	_, err := store.All(ctx, t.ledger.db, func(row store.Row) (r actions.Record, err error) {
		var n int
		var name string
		if err := row.Scan(&n, &name, &r.Settled, store.JSON(&r)); err != nil {
			return r, err
		}
		t.rounds[n].steps[name] = r // there is a round: steps has a foreign key
		return r, nil
	}, "SELECT round, request, record <> '', record FROM steps WHERE turn = ?", t.id)
	return err
}
