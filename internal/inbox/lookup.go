package inbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// IsSettled says whether an event is over. One that was never accepted is not.
func (b *Inbox) IsSettled(ctx context.Context, id string) (settled bool, err error) {
	if b.owed.has(id) {
		return true, nil
	}
	err = b.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM inbox WHERE id = ? AND state NOT IN ('received', 'running'))", id).Scan(&settled)
	if err != nil {
		return false, fmt.Errorf("look whether %s is settled: %w", id, err)
	}
	return settled, nil
}

// IsAlone says whether an event is the only one that is known to be about a message, or to be
// that message.
func (b *Inbox) IsAlone(ctx context.Context, id string, p chat.Place) (alone bool, err error) {
	err = b.db.QueryRowContext(ctx, "SELECT NOT EXISTS (SELECT 1 FROM inbox WHERE channel = ? AND message = ? AND id <> ?)",
		string(p.Channel), string(p.Message), id).Scan(&alone)
	if err != nil {
		return false, fmt.Errorf("look what is known about message %s: %w", p.Message, err)
	}
	return alone, nil
}

// Unfinished are the events that are not settled, in the order of acceptance. Of a
// Place, only channel and message are known. What was said too long ago is left out, but
// not what was put off: who waits for that is told, however late.
func (b *Inbox) Unfinished(ctx context.Context) ([]Event, error) {
	list, err := b.find(ctx, "state IN ('received', 'running') AND (accepted > ? OR kind = ?)", time.Now().Add(-Keep).UnixMicro(), string(Deferred))
	if err != nil {
		return nil, err
	}
	return b.notOwed(append(list, b.unwritten.all()...)), nil
}

// notOwed leaves out what is over, though that is not written down.
func (b *Inbox) notOwed(list []Event) []Event {
	return slices.DeleteFunc(list, func(e Event) bool { return b.owed.has(e.ID) })
}

// find finds events that are not settled, as far as they are written down.
func (b *Inbox) find(ctx context.Context, where string, args ...any) ([]Event, error) {
	rows, err := b.db.QueryContext(ctx, "SELECT id, act, kind, state, channel, message, turn, body, attempts, begun > 0, accepted FROM inbox WHERE "+where+" ORDER BY number", args...)
	if err != nil {
		return nil, fmt.Errorf("look for unfinished events: %w", err)
	}
	defer rows.Close()
	var list []Event
	for rows.Next() {
		var e Event
		var accepted int64
		if err := rows.Scan(&e.ID, &e.Act, &e.Kind, &e.State, &e.Place.Channel, &e.Place.Message, &e.Turn, &e.Body, &e.Attempts, &e.Begun, &accepted); err != nil {
			return nil, fmt.Errorf("look for unfinished events: %w", err)
		}
		e.Accepted = time.UnixMicro(accepted)
		list = append(list, e)
	}
	return list, rows.Err()
}
