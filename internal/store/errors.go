package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

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
