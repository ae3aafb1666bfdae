package journal

import (
	"cmp"
	"context"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
	"discoclaw/internal/store"
)

// A Batch has actions of one turn that were done in a row: no other turn did anything in the channel between them.
type Batch struct {
	Turn Turn
	Undo []Entry // that can be undone and were not, in the order of the undo
	Stay []Entry // that were done and cannot be undone
}

// maxBatches is how many turns !undo looks back.
const maxBatches = 20

// Batches are what was done in a channel and was not undone, the latest first. What was approved just now may belong to a turn of ten
// minutes ago, so that the actions of a turn can be in several batches.
func (j *Journal) Batches(ctx context.Context, ch chat.ChannelID) ([]Batch, error) {
	turns, err := j.turns(ctx, `
		JOIN (
			SELECT a.turn AS id, MAX(a.at) AS latest FROM actions a
			WHERE a.outcome IN (?, ?) AND a.undone IS NULL GROUP BY a.turn) u USING (id)
		WHERE channel = ? ORDER BY u.latest DESC LIMIT ?`, string(Done), string(ApprovedDone), string(ch), maxBatches)
	if err != nil {
		return nil, err
	}
	type deed struct {
		Entry
		in Turn
	}
	var deeds []deed
	for _, t := range turns {
		for _, e := range t.Actions {
			if e.changed() && e.Undone.IsZero() {
				deeds = append(deeds, deed{e, t})
			}
		}
	}
	order.By(deeds, func(a, b deed) int {
		return cmp.Or(b.At.Compare(a.At), b.in.Began.Compare(a.in.Began), cmp.Compare(b.Turn, a.Turn), b.Number-a.Number)
	})
	var list []Batch
	for i, d := range deeds {
		if i == 0 || d.Turn != deeds[i-1].Turn {
			list = append(list, Batch{Turn: d.in})
		}
		b := &list[len(list)-1]
		if len(d.Inverses) > 0 {
			b.Undo = append(b.Undo, d.Entry)
		} else {
			b.Stay = append(b.Stay, d.Entry)
		}
	}
	return list, nil
}

// changed reports whether the action has done something that people may want to undo.
func (e Entry) changed() bool { return e.Outcome == Done || e.Outcome == ApprovedDone }

// Claim reports whether the caller may undo an action: true for exactly one. It is called
// before the inverses run, so that they never run twice.
func (j *Journal) Claim(ctx context.Context, turn chat.TurnID, number int) (bool, error) {
	n, err := store.Changed(j.db.ExecContext(ctx,
		"UPDATE actions SET undone = ? WHERE turn = ? AND number = ? AND inverses IS NOT NULL AND undone IS NULL",
		time.Now().UnixMicro(), turn, number))
	return n == 1, err
}

// Release releases a claim when the inverses did not run, so that the undo can be retried.
func (j *Journal) Release(ctx context.Context, turn chat.TurnID, number int) error {
	_, err := j.db.ExecContext(ctx, "UPDATE actions SET undone = NULL WHERE turn = ? AND number = ?", turn, number)
	return err
}

// Ran is how many actions of a turn have settled.
func (j *Journal) Ran(ctx context.Context, turn chat.TurnID) (int, error) {
	return store.Value[int](ctx, j.db, "SELECT COUNT(*) FROM actions WHERE turn = ?", turn)
}
