package memory

import (
	"context"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// rows are the items in the database.
type rows struct{ db *store.DB }

// of returns the items of a person, the oldest first.
func (r rows) of(ctx context.Context, from store.Reader, who chat.UserID) ([]Item, error) {
	all, err := store.All(ctx, from, scan, `SELECT id, kind, text, importance, active, source, guild, channel, message, outside, created, updated, hits, hit
		FROM memories WHERE person = ? ORDER BY created, id`, string(who))
	return all, store.Plain(err)
}

func scan(row store.Row) (it Item, err error) {
	return it, row.Scan(&it.ID, &it.Kind, &it.Text, &it.Importance, &it.Active, &it.Source, &it.Said.Guild, &it.Said.Channel, &it.Said.Message,
		&it.Outside, store.Time(&it.Created), store.Time(&it.Updated), &it.Hits, store.Time(&it.Hit))
}

// change replaces the items of a person by what f makes of them. Changes of one database run one after another, so
// none is lost.
func (r rows) change(ctx context.Context, who chat.UserID, f func([]Item) []Item) error {
	return store.Plain(r.db.Tx(ctx, func(tx *store.Tx) error {
		before, err := r.of(ctx, tx, who)
		if err != nil {
			return err
		}
		known := map[string]Item{}
		for _, it := range before {
			known[it.ID] = it
		}
		for _, it := range f(before) {
			if old, ok := known[it.ID]; !ok || old != it {
				if err := r.put(ctx, tx, who, it); err != nil {
					return err
				}
			}
			delete(known, it.ID)
		}
		for id := range known {
			if _, err := tx.ExecContext(ctx, "DELETE FROM memories WHERE person = ? AND id = ?", string(who), id); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (r rows) put(ctx context.Context, tx *store.Tx, who chat.UserID, it Item) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO memories (person, id, kind, text, importance, active, source, guild, channel, message, outside, created, updated, hits, hit)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person, id) DO UPDATE SET
			kind = excluded.kind, text = excluded.text, importance = excluded.importance, active = excluded.active, source = excluded.source,
			guild = excluded.guild, channel = excluded.channel, message = excluded.message, outside = excluded.outside,
			created = excluded.created, updated = excluded.updated, hits = excluded.hits, hit = excluded.hit`,
		string(who), it.ID, it.Kind, it.Text, it.Importance, it.Active, it.Source, string(it.Said.Guild), string(it.Said.Channel), string(it.Said.Message),
		string(it.Outside), store.Micro(it.Created), store.Micro(it.Updated), it.Hits, store.Micro(it.Hit))
	return err
}

// hit counts hits of items.
func (r rows) hit(ctx context.Context, hits map[hitKey]hit) error {
	return store.Plain(r.db.Tx(ctx, func(tx *store.Tx) error {
		for k, h := range hits {
			if _, err := tx.ExecContext(ctx, "UPDATE memories SET hits = hits + ?, hit = ? WHERE person = ? AND id = ?", h.count, h.last.UnixMicro(), string(k.who), k.id); err != nil {
				return err
			}
		}
		return nil
	}))
}
