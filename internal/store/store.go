// Package store is the bot's SQLite database in the data directory.
//
// It opens and migrates the database, and runs statements and transactions. A table belongs to
// another package, such as journal or choices; the tables are defined in the folder migrations, a
// numbered file for each change. The owner of a table declares with [DB.Retain] how long its
// rows are kept, and with [DB.OnRestore] what a restored copy has to drop.
//
// Committed transactions survive a crash. There is one writer at a time and any number of
// readers, so that no caller gets a locked database; a writer waits for the one before it.
//
// A copy is kept beside the database, in case the file gets damaged, and Open restores it if it has
// to. A copy is marked as one, until it is adopted. Examine reports the condition of both without
// changing either.
package store

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
)

// A DB is a database that Open has opened. It is safe for concurrent use. A test that runs in a
// bubble opens and closes it in there.
type DB struct {
	path  string
	write *sql.DB // with a single connection, for which writers queue
	read  *sql.DB

	beginning Beginning
	reserved  atomic.Bool // Reserve has grown the WAL
	commits   atomic.Int64
	duties    duties
}

// Commits returns how many write transactions were committed, each of which waits for the disk.
func (db *DB) Commits() int64 { return db.commits.Load() }

// ExecContext runs a statement that changes something. It must not be called from
// within Tx, which has the only connection for that.
func (db *DB) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	res, err := db.write.ExecContext(ctx, query, args...)
	if err == nil {
		db.commits.Add(1)
	}
	return res, db.explain(err)
}

// QueryContext runs a statement that only reads. It sees everything that was
// committed before, and nothing of an unfinished transaction.
func (db *DB) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := db.read.QueryContext(ctx, query, args...)
	return rows, db.explain(err)
}

// QueryRowContext is QueryContext for at most one row.
func (db *DB) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return db.read.QueryRowContext(ctx, query, args...)
}

// Tx runs do in a transaction, which is committed if do returns nil and rolled back
// otherwise. It should be short and must not wait for anything else: all other writers wait
// for it.
func (db *DB) Tx(ctx context.Context, do func(tx *Tx) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return db.explain(err)
	}
	// After Commit this does nothing. Its error adds nothing to the one that led here.
	defer func() { _ = tx.Rollback() }()
	if err := do(&Tx{db: db, tx: tx}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return db.explain(err)
	}
	db.commits.Add(1)
	return nil
}

// Close waits for running statements and closes the database.
func (db *DB) Close() error { return errors.Join(db.read.Close(), db.write.Close()) }

// A Tx is a transaction. It sees its own changes.
type Tx struct {
	db *DB
	tx *sql.Tx
}

// ExecContext runs a statement that changes something.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	res, err := t.tx.ExecContext(ctx, query, args...)
	return res, t.db.explain(err)
}

// QueryContext runs a statement that has rows. They must be closed before the next
// statement.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := t.tx.QueryContext(ctx, query, args...)
	return rows, t.db.explain(err)
}

// QueryRowContext is QueryContext for at most one row.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(ctx, query, args...)
}
