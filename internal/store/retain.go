package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// duties are the declarations of the owners of tables.
type duties struct {
	mu         sync.Mutex
	retentions map[string]retention // by table
	restores   map[string]func(context.Context, *Tx) error
}

// A retention is how long the rows of a table are kept.
type retention struct {
	column string
	age    time.Duration
	except []string
}

// Retain declares the retention of a table: [DB.Prune] deletes rows that are older than age, by a
// column with microseconds since 1970, but for those that meet one of the conditions. The owner of
// a table calls it when it is constructed, before or after Open; another call for the same table
// replaces it.
func (db *DB) Retain(table, column string, age time.Duration, except ...string) {
	db.duties.mu.Lock()
	defer db.duties.mu.Unlock()
	if db.duties.retentions == nil {
		db.duties.retentions = map[string]retention{}
	}
	db.duties.retentions[table] = retention{column, age, except}
}

// Retention returns how long the rows of a table are kept. declared is false if no call of Retain says so.
func (db *DB) Retention(table string) (age time.Duration, declared bool) {
	db.duties.mu.Lock()
	defer db.duties.mu.Unlock()
	r, declared := db.duties.retentions[table]
	return r.age, declared
}

// OnRestore declares what [DB.Adopt] does to the named part of a restored copy. It is called like
// Retain.
func (db *DB) OnRestore(part string, do func(context.Context, *Tx) error) {
	db.duties.mu.Lock()
	defer db.duties.mu.Unlock()
	if db.duties.restores == nil {
		db.duties.restores = map[string]func(context.Context, *Tx) error{}
	}
	db.duties.restores[part] = do
}

// Prune deletes rows that are past their retention. A table that cannot be pruned does not hold up
// the others.
func (db *DB) Prune(ctx context.Context) error {
	db.duties.mu.Lock()
	all := maps.Clone(db.duties.retentions)
	db.duties.mu.Unlock()
	var errs []error
	for _, table := range slices.Sorted(maps.Keys(all)) {
		r := all[table]
		query := fmt.Sprintf("DELETE FROM %s WHERE %s < ?", table, r.column)
		for _, condition := range r.except {
			query += " AND NOT (" + condition + ")"
		}
		if _, err := db.ExecContext(ctx, query, time.Now().Add(-r.age).UnixMicro()); err != nil {
			errs = append(errs, fmt.Errorf("prune %s: %w", table, err))
		}
	}
	return errors.Join(errs...)
}

// Adopt makes a restored copy the database that the bot uses. Rows that are unfinished in it may
// have been finished since, and resuming them would do their work twice: the functions of OnRestore drop
// them, in the same transaction. Until then, the database stays a copy.
func (db *DB) Adopt(ctx context.Context) error {
	db.duties.mu.Lock()
	all := maps.Clone(db.duties.restores)
	db.duties.mu.Unlock()
	err := db.Tx(ctx, func(tx *Tx) error {
		for _, part := range slices.Sorted(maps.Keys(all)) {
			if err := all[part](ctx, tx); err != nil {
				return fmt.Errorf("restore %s: %w", part, err)
			}
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM copied")
		return err
	})
	return Wrap(err, "go on with a copy of the database")
}
