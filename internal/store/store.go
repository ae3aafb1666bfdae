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
	"fmt"
	"sync/atomic"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// A DB is a database that Open has opened. It is safe for concurrent use. A test that runs in a
// bubble opens and closes it in there.
type DB struct {
	path  string
	write *sql.DB // with a single connection, for which writers queue
	read  *sql.DB

	beginning Beginning
	fresh     bool        // Open made it
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

// ErrNotOpen means that the database was not opened, as in a check-up without the bot.
var ErrNotOpen = errors.New("the database is not open")

// QueryContext runs a statement that only reads. It sees everything that was
// committed before, and nothing of an unfinished transaction.
func (db *DB) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if db.read == nil {
		return nil, ErrNotOpen
	}
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

// ErrFull means that the database could not be written because the disk is full.
var ErrFull = errors.New("the disk is full")

// Plain replaces the text of an error of the database by one for people in a channel. Paths are for
// the log.
func Plain(err error) error {
	if err == nil {
		return nil
	}
	if said, ok := errors.AsType[*forPeople](err); ok {
		return said
	}
	return &plainError{err}
}

// Wrap adds to an error what was being done, as a format and its arguments. It returns nil for nil.
func Wrap(err error, doing string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(doing, args...), err)
}

// ForPeople marks an error as a sentence for people, which Plain returns as it is. So the function of a transaction can refuse
// what it is asked for.
func ForPeople(err error) error {
	if err == nil {
		return nil
	}
	return &forPeople{err}
}

type forPeople struct{ error }

func (e *forPeople) Unwrap() error { return e.error }

type plainError struct{ cause error }

func (e *plainError) Error() string {
	if errors.Is(e.cause, ErrFull) {
		return "my disk is full, and the people who run me have to make room first"
	}
	return "I can't use my database; the people who run me find the reason in my log"
}

func (e *plainError) Unwrap() error { return e.cause }

// Permanent returns false: a retry may succeed.
func (e *plainError) Permanent() bool { return false }

// explain turns an error of SQLite into a sentence for the operator who has to do something
// about it. Other errors stay as they are.
func (db *DB) explain(err error) error {
	var fault *sqlite.Error
	if !errors.As(err, &fault) {
		return err
	}
	if fault.Code() == lib.SQLITE_IOERR_SHMSIZE { // no room for the index of the WAL
		return db.full(err)
	}
	switch fault.Code() & 0xff { // without the extended code
	case lib.SQLITE_FULL:
		return db.full(err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return db.damaged(err)
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		return fmt.Errorf("the database %s cannot be written to; change its permissions and those of its folder, or set DISCOCLAW_DATA_DIR to another one (%w)", db.path, err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("another program is changing the database %s; close it and try again (%w)", db.path, err)
	case lib.SQLITE_IOERR:
		return fmt.Errorf("the database %s cannot be read or written; check whether the disk that it is on has room and works (%w)", db.path, err)
	}
	return err
}

func (db *DB) full(err error) error {
	return fmt.Errorf("%w: make room where %s is (%w)", ErrFull, db.path, err)
}

func (db *DB) damaged(err error) error {
	return &unusableError{path: db.path, trouble: "it is damaged, or no database at all", err: err}
}
