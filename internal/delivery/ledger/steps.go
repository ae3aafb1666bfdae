package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/store"
)

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
