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

// duties are what the owners of tables have declared.
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

// Retain says how long the rows of a table are kept: [DB.Prune] deletes those that are older
// than age, by a column with microseconds since 1970, but for those that meet one of the
// conditions. The owner of a table declares this when it is made, before or after Open; who
// declares it again changes it.
func (db *DB) Retain(table, column string, age time.Duration, except ...string) {
	db.duties.mu.Lock()
	defer db.duties.mu.Unlock()
	if db.duties.retentions == nil {
		db.duties.retentions = map[string]retention{}
	}
	db.duties.retentions[table] = retention{column, age, except}
}

// OnRestore says what [DB.Adopt] does to the named part of a database that is an old copy. It
// is declared like a retention.
func (db *DB) OnRestore(part string, do func(context.Context, *Tx) error) {
	db.duties.mu.Lock()
	defer db.duties.mu.Unlock()
	if db.duties.restores == nil {
		db.duties.restores = map[string]func(context.Context, *Tx) error{}
	}
	db.duties.restores[part] = do
}

// Prune deletes what is older than its retention. A table that cannot be pruned does not keep
// the others from it.
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

// Adopt makes a copy the database that the bot goes on with. It is old, so what was
// unfinished in it may be finished by now, and to go on with that would do it twice: what
// was declared with OnRestore drops it, in the same transaction. Until then, the database
// stays a copy.
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
	if err != nil {
		return fmt.Errorf("go on with a copy of the database: %w", err)
	}
	return nil
}
