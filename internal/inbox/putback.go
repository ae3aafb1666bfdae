package inbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/store"
)

// PutBack lets events wait until they are taken up again, by this process or the next one,
// with the turn that they have begun. That is no failed attempt of theirs.
func (b *Inbox) PutBack(ctx context.Context, ids ...string) error {
	_, err := b.update(ctx, "put back", ids, "state = ?, attempts = MAX(attempts - 1, 0)", string(Received))
	if err != nil {
		b.unwritten.putBack(ids...)
	} else {
		b.unwritten.forth(ids...)
	}
	return err
}

// Waiting are the events of a kind that wait, in the order of acceptance.
func (b *Inbox) Waiting(ctx context.Context, k Kind) ([]Event, error) {
	list, err := b.find(ctx, "state IN ('received', 'running') AND kind = ?", string(k))
	list = slices.DeleteFunc(list, func(e Event) bool { return e.State == Running && !b.unwritten.isBack(e.ID) })
	return b.notOwed(list), err
}

// Resume notes that an event goes on which was put back, and says whether it does: it may have
// been called off. From here on it cannot be.
func (b *Inbox) Resume(ctx context.Context, id string) (bool, error) {
	set := "state = ?"
	isBack := b.unwritten.isBack(id)
	if isBack {
		b.unwritten.forth(id) // before CallOff looks
		set += ", attempts = MAX(attempts - 1, 0)"
	}
	n, err := b.update(ctx, "resume", []string{id}, set, string(Running))
	if err != nil && isBack {
		b.unwritten.putBack(id)
	}
	return n == 1, err
}

// CallOff settles an event that was put back, and says whether it did: it may go on by now.
func (b *Inbox) CallOff(ctx context.Context, id string) (ours bool, err error) {
	err = b.db.Tx(ctx, func(tx *store.Tx) error {
		// In the meantime, nobody resumes it.
		res, err := tx.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE (state = ? OR state = ? AND ?) AND id = ?",
			string(Failed), time.Now().UnixMicro(), string(Received), string(Running), b.unwritten.isBack(id), id)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		ours = n == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("call off %s: %w", id, err)
	}
	if ours {
		b.unwritten.over(id)
		b.unwritten.forth(id)
	}
	return ours, nil
}
