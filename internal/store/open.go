package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver called sqlite
)

// FileName is the name of the database in the data directory.
const FileName = "discoclaw.db"

// applicationID marks a database as ours, in the field of its header that SQLite has for
// that. It spells DCLW.
const applicationID = 0x44434C57

// maxReaders limits the concurrent reads.
const maxReaders = 4

// writerCacheKB and readerCacheKB are the sizes of each connection's cache. Beyond them, pages come from the cache of the
// operating system, which is nearly as fast and not the bot's own memory. The writer's is full after the first start. A copy
// reads and writes every page once; its cache would only stay allocated.
const (
	writerCacheKB = 100
	readerCacheKB = 400
	copyCacheKB   = 20
)

// Open opens or creates the database at path, and migrates it. A file that is damaged, empty,
// or of another program is set aside, and the copy that [DB.Copy] made is restored;
// [DB.Beginning] reports that. A database of a newer or much older version of this program stays as
// it is; the error says what to do about it.
func Open(ctx context.Context, path string) (*DB, error) {
	db := new(DB)
	return db, db.Open(ctx, path)
}

// Open is for a DB to which other parts have a pointer already. They must not use it before it is
// open.
func (db *DB) Open(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find the database: %w", err)
	}
	db.path, db.beginning = path, Beginning{}
	trouble, err := look(path)
	if err == nil && trouble == "" {
		err = db.open(ctx)
	}
	var bad *unusableError
	if errors.As(err, &bad) {
		trouble, err = bad.trouble, nil
	}
	if err == nil && trouble != "" {
		err = db.recover(ctx, trouble)
	}
	return err
}

// open opens the file, as it is.
func (db *DB) open(ctx context.Context) (err error) {
	if err := prepare(db.path); err != nil {
		return err
	}
	// A transaction of the writer takes its lock at once: one that reads first, and then cannot
	// get the lock any more, would have to be repeated.
	if db.write, err = sql.Open("sqlite", source(db.path, writerCacheKB, "_txlock=immediate", "_pragma=foreign_keys(1)", "_pragma=synchronous(FULL)", fmt.Sprintf("_pragma=wal_autocheckpoint(%d)", logPages))); err != nil {
		return fmt.Errorf("open the database %s: %w", db.path, err)
	}
	db.write.SetMaxOpenConns(1)
	if db.read, err = sql.Open("sqlite", source(db.path, readerCacheKB, "_pragma=query_only(1)")); err != nil {
		return errors.Join(fmt.Errorf("open the database %s: %w", db.path, err), db.write.Close())
	}
	db.read.SetMaxOpenConns(maxReaders)
	if err := db.start(ctx); err != nil {
		return errors.Join(err, db.Close())
	}
	return nil
}

// prepare makes sure that the file exists with mode 0600. SQLite gives the files beside it
// the same mode.
//
// A file that exists is never opened here: closing it again would drop the locks that SQLite
// has on it, should this process have it open already.
func prepare(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return create(path)
	case err != nil, info.Mode().Perm()&0o077 == 0:
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("the database %s can be read by others, and that cannot be changed (%w); give it to the user who runs the bot, or set DISCOCLAW_DATA_DIR to another folder", path, err)
	}
	return nil
}

func create(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the database cannot be made (%w); change the permissions of its folder, or set DISCOCLAW_DATA_DIR to another one", err)
	}
	return f.Close()
}

// source returns the driver's URI of a database. Every connection waits a while for the lock
// of another program, such as the sqlite3 command.
func source(path string, cacheKB int, options ...string) string {
	slashes := filepath.ToSlash(path)
	if !strings.HasPrefix(slashes, "/") {
		slashes = "/" + slashes // a drive letter
	}
	u := url.URL{Scheme: "file", Path: slashes}
	return u.String() + "?" + strings.Join(append(options, "_pragma=busy_timeout(5000)", fmt.Sprintf("_pragma=cache_size(-%d)", cacheKB)), "&")
}

// start inspects the database before anything is changed in it, then migrates it.
func (db *DB) start(ctx context.Context) error {
	fresh, err := db.inspect(ctx)
	if err != nil {
		return err
	}
	var mode string
	if err := db.write.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return db.explain(err)
	}
	if mode != "wal" {
		return fmt.Errorf("the database %s is on a disk that cannot hold it, which is often one on a network; set DISCOCLAW_DATA_DIR to a folder on a disk of this machine", db.path)
	}
	if err := db.migrate(ctx, migrations, fresh); err != nil {
		return db.explain(err)
	}
	db.fresh = fresh
	// SQLite opens a file without write permission for reading alone, and reports that only at the
	// first write. This is a write that changes nothing.
	if _, err := db.ExecContext(ctx, "DELETE FROM copied WHERE false"); err != nil {
		return err
	}
	return db.readOrigin(ctx)
}

// inspect reports whether the database is empty. If not, it must be one of ours, undamaged, and
// of a version that this one can open.
func (db *DB) inspect(ctx context.Context) (fresh bool, err error) {
	var id, tables int
	if err := db.write.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return false, db.explain(err)
	}
	if err := db.write.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master").Scan(&tables); err != nil {
		return false, db.explain(err)
	}
	switch {
	case id == 0 && tables == 0:
		return true, nil
	case id != applicationID:
		return false, &unusableError{path: db.path, trouble: "it is of another program"}
	}
	if err := db.checkVersion(ctx); err != nil {
		return false, err
	}
	return false, db.checkWhole(ctx)
}

// checkWhole reads the database once from end to end. A page that was damaged while
// the bot was off would otherwise be found in the middle of a conversation.
func (db *DB) checkWhole(ctx context.Context) error {
	var verdict string
	if err := db.write.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return db.explain(err)
	}
	if verdict != "ok" {
		return db.damaged(errors.New(verdict))
	}
	return nil
}
