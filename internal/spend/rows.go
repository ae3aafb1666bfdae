package spend

import (
	"context"
	"slices"
	"strings"

	"discoclaw/internal/store"
)

// rows is the table of what was spent.
type rows struct{ db *store.DB }

// spent returns what was spent under a limit, without the rows of calls that are not over.
func (s rows) spent(ctx context.Context, l limit, open []int64) (float64, error) {
	query := "SELECT COALESCE(SUM(usd), 0) FROM spending WHERE " + l.where
	if len(open) > 0 {
		query += " AND id NOT IN (?" + strings.Repeat(", ?", len(open)-1) + ")"
	}
	args := slices.Clone(l.args)
	for _, id := range open {
		args = append(args, id)
	}
	usd, err := store.Value[float64](ctx, s.db, query, args...)
	return usd, store.Plain(err)
}

// reserve writes an estimate down and sets the ID of its row.
func (s rows) reserve(ctx context.Context, e *entry) error {
	return store.Plain(s.db.Tx(ctx, func(tx *store.Tx) (err error) {
		e.id, err = insert(ctx, tx, *e)
		return err
	}))
}

func insert(ctx context.Context, tx *store.Tx, e entry) (int64, error) {
	res, err := tx.ExecContext(ctx, `INSERT INTO spending (at, day, person, channel, job, turn, role, runtime, model, input, cached, output, usd)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.at.UnixMicro(), e.day, e.payer.User, e.payer.Channel, e.payer.Job, e.payer.Turn, e.payer.Role, e.asked.Runtime, e.asked.Model,
		e.usage.Input, e.usage.Cached, e.usage.Output, e.usd)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// write writes entries that are over.
func (s rows) write(ctx context.Context, all []entry) error {
	return store.Plain(s.db.Tx(ctx, func(tx *store.Tx) error {
		for _, e := range all {
			var err error
			switch {
			case e.id == 0:
				_, err = insert(ctx, tx, e)
			case e.void:
				_, err = tx.ExecContext(ctx, "DELETE FROM spending WHERE id = ?", e.id)
			default:
				_, err = tx.ExecContext(ctx, "UPDATE spending SET input = ?, cached = ?, output = ?, usd = ? WHERE id = ?", e.usage.Input, e.usage.Cached, e.usage.Output, e.usd, e.id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// sums returns what was spent since a day, by a column, or by a constant for all together. The largest come first.
func (s rows) sums(ctx context.Context, column, since, person string) ([]Sum, error) {
	query := `SELECT ` + column + `, COUNT(*), COALESCE(SUM(input), 0), COALESCE(SUM(cached), 0), COALESCE(SUM(output), 0), COALESCE(SUM(usd), 0), COUNT(*) - COUNT(usd)
		FROM spending WHERE day >= ?`
	args := []any{since}
	if person != "" {
		query, args = query+" AND person = ?", append(args, person)
	}
	list, err := store.All(ctx, s.db, func(row store.Row) (sum Sum, err error) {
		return sum, row.Scan(&sum.Of, &sum.Calls, &sum.Input, &sum.Cached, &sum.Output, &sum.USD, &sum.Unpriced)
	}, query+" GROUP BY 1 ORDER BY 6 DESC, 3 DESC, 1", args...)
	return list, store.Plain(err)
}
