package journal

import (
	"context"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// A Batch has the actions of a turn, for an undo.
type Batch struct {
	Turn Turn
	Undo []Entry // that can be undone and were not, in the order of the undo
	Stay []Entry // that were done and cannot be undone
}

// maxBatches is how many turns !undo looks back.
const maxBatches = 20

// Undoable are the turns of a channel with something to undo, those with the latest such
// action first.
func (j *Journal) Undoable(ctx context.Context, ch chat.ChannelID) ([]Batch, error) {
	// The latest action counts, not the latest turn: one that was approved just now
	// may belong to a turn of ten minutes ago.
	turns, err := j.turns(ctx, `
		JOIN (
			SELECT a.turn AS id, MAX(a.at) AS latest FROM actions a
			WHERE a.inverses IS NOT NULL AND a.undone IS NULL GROUP BY a.turn) u USING (id)
		WHERE channel = ? ORDER BY u.latest DESC LIMIT ?`, string(ch), maxBatches)
	if err != nil {
		return nil, err
	}
	var list []Batch
	for _, t := range turns {
		list = append(list, batchOf(t))
	}
	return list, nil
}

func batchOf(t Turn) Batch {
	b := Batch{Turn: t}
	for _, e := range slices.Backward(t.Actions) {
		switch {
		case !e.changed() || !e.Undone.IsZero():
		case len(e.Inverses) > 0:
			b.Undo = append(b.Undo, e)
		default:
			b.Stay = append(b.Stay, e)
		}
	}
	return b
}

// changed reports whether the action has done something.
func (e Entry) changed() bool { return e.Outcome == Done || e.Outcome == ApprovedDone }

// Claim reports whether the caller may undo an action: true for exactly one. It is called
// before the inverses run, so that they never run twice.
func (j *Journal) Claim(ctx context.Context, turn chat.TurnID, number int) (bool, error) {
	res, err := j.db.ExecContext(ctx,
		"UPDATE actions SET undone = ? WHERE turn = ? AND number = ? AND inverses IS NOT NULL AND undone IS NULL",
		time.Now().UnixMicro(), turn, number)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Release releases a claim when the inverses did not run, so that the undo can be retried.
func (j *Journal) Release(ctx context.Context, turn chat.TurnID, number int) error {
	_, err := j.db.ExecContext(ctx, "UPDATE actions SET undone = NULL WHERE turn = ? AND number = ?", turn, number)
	return err
}

// Ran is how many actions of a turn have settled.
func (j *Journal) Ran(ctx context.Context, turn chat.TurnID) (n int, err error) {
	err = j.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM actions WHERE turn = ?", turn).Scan(&n)
	return n, err
}
