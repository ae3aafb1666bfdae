package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/disk/atomicfile"
)

// A Beginning reports a recovery.
type Beginning struct {
	Trouble string    // why the file could not be used, as the end of a sentence; empty if it could
	Aside   string    // the path of that file now; empty if there was none
	Copied  time.Time // when the restored copy was made; zero if the database is no copy, or was adopted
}

// Beginning returns what Open had to recover.
func (db *DB) Beginning() Beginning { return db.beginning }

// Mishap describes a recovery of the database for operators; empty if there was none.
func (b Beginning) Mishap() string {
	var parts []string
	if b.Trouble != "" {
		parts = append(parts, fmt.Sprintf("The database could not be used: %s.", b.Trouble))
	}
	if b.Aside != "" {
		parts = append(parts, fmt.Sprintf("What was there is called %s now.", filepath.Base(b.Aside)))
	}
	switch {
	case !b.Copied.IsZero():
		parts = append(parts, fmt.Sprintf("The bot goes on with a copy of the database, made on %s.", b.Copied.UTC().Format("2 January 2006 at 15:04 UTC")),
			"What happened since then is forgotten: questions that were open are closed, deferred runs that were due are not run, reminders that were due are posted unless they are there, and what was said while the bot was off is not answered. A deferred run or a reminder that was called off since then may come all the same.")
	case b.Trouble != "":
		parts = append(parts, "There is no good copy of it, so the bot begins with an empty one.")
	}
	return strings.Join(parts, " ")
}

// An unusableError is about a file that is not a database of ours, or is damaged.
type unusableError struct {
	path    string
	trouble string
	err     error // nil if the trouble says it all
}

func (e *unusableError) Error() string {
	text := fmt.Sprintf("the database %s cannot be used: %s; start the bot again, and it sets the file aside and goes on with the copy that it keeps", e.path, e.trouble)
	if e.err != nil {
		text += fmt.Sprintf(" (%v)", e.err)
	}
	return text
}

func (e *unusableError) Unwrap() error { return e.err }

// look checks a file before it is opened. One that is missing or empty is a fresh database,
// unless a WAL or a copy shows that there was more.
func look(path string) (trouble string, err error) {
	info, err := os.Stat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return "", fmt.Errorf("the database %s cannot be reached (%w); change the permissions of its folder, or set DISCOCLAW_DATA_DIR to another one", path, err)
	case !missing && !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file; set it aside, or set DISCOCLAW_DATA_DIR to another folder", path)
	case !missing && info.Size() > 0, !hasText(path+"-wal") && !hasText(copyOf(path)):
		return "", nil
	case missing:
		return "it is gone", nil
	}
	return "it is empty", nil
}

func hasText(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// recover replaces a file that cannot be used: with the copy, or, if that is missing or cannot
// be used either, with an empty database.
func (db *DB) recover(ctx context.Context, trouble string) error {
	aside, err := setAside(db.path)
	if err != nil {
		return fmt.Errorf("the database %s cannot be used: %s; and it cannot be set aside (%w): do that by hand", db.path, trouble, err)
	}
	db.beginning = Beginning{Trouble: trouble, Aside: aside}
	if err := putBack(copyOf(db.path), db.path); atomicfile.IsFull(err) {
		return fmt.Errorf("the copy of the database cannot be put in its place: %w", db.full(err))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the copy of the database cannot be put in its place (%w); change the permissions of %s, or set it aside to begin with an empty database", err, copyOf(db.path))
	}
	err = db.open(ctx)
	var bad *unusableError
	if !errors.As(err, &bad) {
		return err
	}
	db.beginning.Trouble += "; nor could its copy: " + bad.trouble
	if _, err := setAside(db.path); err != nil {
		return fmt.Errorf("the copy of the database cannot be used either: %w", bad)
	}
	return db.open(ctx)
}

// family returns the files of a database.
func family(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal"}
}

// asideMark is in the names of files that were set aside, before the time.
const asideMark = ".aside-"

// setAside renames the files of a database, so that they still belong together. It returns the
// new path of the database; nothing if there was no file.
func setAside(path string) (aside string, err error) {
	if !taken(path) {
		return "", nil
	}
	first := path + asideMark + time.Now().UTC().Format("20060102-150405")
	aside = first
	for n := 2; taken(aside); n++ {
		aside = first + "-" + strconv.Itoa(n)
	}
	names := family(aside)
	for i, old := range family(path) {
		// The database goes first: one that is left without its WAL would look whole, and
		// lack the last transactions.
		if err := atomicfile.Rename(old, names[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

func taken(path string) bool {
	for _, name := range family(path) {
		if _, err := os.Lstat(name); err == nil {
			return true
		}
	}
	return false
}

// putBack copies a file.
func putBack(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() // only read
	return atomicfile.WritePath(to, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}

// readOrigin sets Copied if the database is a copy.
func (db *DB) readOrigin(ctx context.Context) error {
	made, err := Value[int64](ctx, db.write, "SELECT made FROM copied")
	db.beginning.Copied = At(made)
	return db.explain(err)
}

// copyOf returns the path of a database's copy.
func copyOf(path string) string { return strings.TrimSuffix(path, ".db") + "-copy.db" }

// Copy writes a snapshot of the database into a file beside it, replacing the copy before.
// Readers and writers do not wait for it. If the database cannot be used at a later start, Open
// restores the copy.
func (db *DB) Copy(ctx context.Context) error {
	if err := db.copy(ctx); err != nil {
		return fmt.Errorf("keep a copy of the database: %w", db.explain(err))
	}
	return nil
}

// FirstCopy is how long after Open the first copy is due. A new database is worth one only after it has been used for a while.
func (db *DB) FirstCopy() time.Duration {
	if db.fresh {
		return time.Hour
	}
	return 0
}

func (db *DB) copy(ctx context.Context) error {
	draft := copyOf(db.path) + ".new"
	for _, name := range family(draft) { // of a process that was killed
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := create(draft); err != nil { // SQLite itself would make it readable for others
		return err
	}
	err := db.fill(ctx, draft)
	if err == nil {
		err = atomicfile.Rename(draft, copyOf(db.path))
	}
	if err != nil {
		_ = os.Remove(draft) // the first error is the one to return
	}
	return err
}

// fill writes the database into an empty file, marks that as a copy, and syncs it.
func (db *DB) fill(ctx context.Context, draft string) error {
	if err := execute(ctx, db.path, "VACUUM INTO ?", draft); err != nil {
		return err
	}
	return execute(ctx, draft, "INSERT OR REPLACE INTO copied (id, made) VALUES (1, ?)", time.Now().UnixMicro())
}

// execute runs a statement on a connection of its own, so that no writer waits for it.
func execute(ctx context.Context, path, statement string, args ...any) error {
	conn, err := sql.Open("sqlite", source(path, copyCacheKB, "_pragma=synchronous(FULL)"))
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, statement, args...)
	return errors.Join(err, conn.Close())
}
