package journal

import (
	"context"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// A Batch is what a turn has done, as seen by somebody who wants it taken back.
type Batch struct {
	Turn Turn
	Undo []Entry // that can be taken back and were not, in the order in which to do it
	Stay []Entry // that were done and cannot be taken back
}

// Undoable is the turn of a channel with the latest action that can be taken back.
func (j *Journal) Undoable(ctx context.Context, ch chat.ChannelID) (Batch, bool, error) {
	// The latest action counts, not the latest turn: one that was approved just now
	// may belong to a turn of ten minutes ago.
	t, ok, err := first(j.turns(ctx, `
		WHERE id = (
			SELECT a.turn FROM actions a JOIN turns t ON t.id = a.turn
			WHERE t.channel = ? AND a.inverses IS NOT NULL AND a.undone IS NULL
			ORDER BY a.at DESC, a.number DESC LIMIT 1)`, string(ch)))
	if err != nil || !ok {
		return Batch{}, false, err
	}
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
	return b, true, nil
}

// changed says whether the action has done something.
func (e Entry) changed() bool { return e.Outcome == Done || e.Outcome == ApprovedDone }

// Claim says whether the caller may take an action back: yes to exactly one. It is
// asked before the inverses run, so that they never run twice.
func (j *Journal) Claim(ctx context.Context, turn string, number int) (bool, error) {
	res, err := j.db.ExecContext(ctx,
		"UPDATE actions SET undone = ? WHERE turn = ? AND number = ? AND inverses IS NOT NULL AND undone IS NULL",
		time.Now().UnixMicro(), turn, number)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Release gives a claim back when the inverses were not run after all, so that
// somebody may try again.
func (j *Journal) Release(ctx context.Context, turn string, number int) error {
	_, err := j.db.ExecContext(ctx, "UPDATE actions SET undone = NULL WHERE turn = ? AND number = ?", turn, number)
	return err
}

// Seal keeps the actions of a turn from being taken back: they were themselves the way
// back from another one.
func (j *Journal) Seal(ctx context.Context, turn string) error {
	_, err := j.db.ExecContext(ctx, "UPDATE actions SET inverses = NULL WHERE turn = ?", turn)
	return err
}
