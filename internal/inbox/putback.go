package inbox

import (
	"context"
	"fmt"
	"time"
)

// PutBack lets events wait for the next start, which goes on with the turn that they have
// begun. That is no failed attempt of theirs.
func (b *Inbox) PutBack(ctx context.Context, ids ...string) error {
	_, err := b.update(ctx, "put back", ids, "state = ?, attempts = MAX(attempts - 1, 0)", string(Received))
	if err != nil {
		b.unwritten.change(func(e *Event) { e.State = Received }, ids...)
	}
	return err
}

// Waiting are the events of a kind that wait, in the order of acceptance.
func (b *Inbox) Waiting(ctx context.Context, k Kind) ([]Event, error) {
	list, err := b.find(ctx, "state = ? AND kind = ?", string(Received), string(k))
	return b.notOwed(list), err
}

// Resume notes that an event goes on which was put back, and says whether it does: it may have
// been called off. From here on it cannot be.
func (b *Inbox) Resume(ctx context.Context, id string) (bool, error) {
	n, err := b.update(ctx, "resume", []string{id}, "state = ?", string(Running))
	return n == 1, err
}

// CallOff settles an event that was put back, and says whether it did: it may go on by now.
func (b *Inbox) CallOff(ctx context.Context, id string) (bool, error) {
	res, err := b.db.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE state = ? AND id = ?",
		string(Failed), time.Now().UnixMicro(), string(Received), id)
	if err != nil {
		return false, fmt.Errorf("call off %s: %w", id, err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
