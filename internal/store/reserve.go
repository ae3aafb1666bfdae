package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"discoclaw/internal/disk/atomicfile"
)

const (
	// reserve is how many bytes are reserved in the database, and once more in its WAL. A turn
	// takes some thousand bytes.
	reserve = 1 << 20
	// logPages is the size of the WAL, in pages, at which it is checkpointed and reused. That is
	// half of the reserve: the rest is for the transaction that goes beyond it.
	logPages = 128
	// little is how many bytes can be written on a disk that is not full.
	little = 64 << 10
)

// Reserve allocates room that no other program can take, so that the database can still be
// written for a long time when the disk is full: free pages in the database, and a WAL that
// has grown already. As long as enough of it is left, it only probes the disk. If that is
// full, the error is an [ErrFull].
func (db *DB) Reserve(ctx context.Context) error {
	left, err := db.left(ctx)
	if err != nil {
		return err
	}
	if left >= reserve/2 && db.reserved.Load() {
		return db.tryDisk(little)
	}
	// A database that grows into a full disk would have a WAL that cannot be checkpointed.
	if err := db.tryDisk(3 * reserve); err != nil {
		return err
	}
	whole, err := db.grow(ctx)
	if err != nil {
		return fmt.Errorf("set room aside for a full disk: %w", db.explain(err))
	}
	db.reserved.Store(whole) // if not, the next call retries
	return nil
}

// HasReserve reports whether [DB.Reserve] has succeeded. Readers can keep it from that.
func (db *DB) HasReserve() bool { return db.reserved.Load() }

// IsTight reports whether the disk may be full soon, so that [DB.Reserve] should be called at once. It
// is true if the free room is unknown.
func (db *DB) IsTight() bool { return freeRoom(filepath.Dir(db.path)) < comfort }

// left returns how many bytes of the database are free.
func (db *DB) left(ctx context.Context) (int, error) {
	var pages, size int
	err := db.QueryRowContext(ctx, "SELECT freelist_count, page_size FROM pragma_freelist_count, pragma_page_size").Scan(&pages, &size)
	return pages * size, db.explain(err)
}

// grow creates a large table and drops it, while all other writers wait. It reports whether the
// WAL was checkpointed completely, which readers can prevent: waiting for them would hold up the
// writers for too long.
func (db *DB) grow(ctx context.Context) (whole bool, err error) {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for _, do := range []string{
		"DROP TABLE IF EXISTS reserve", // of a process that was killed before it could
		// A page for each row: a single large one would have to be held in memory.
		fmt.Sprintf("CREATE TABLE reserve AS WITH RECURSIVE pages (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM pages WHERE n < %d) SELECT zeroblob(4000) AS filler FROM pages", reserve/4096),
	} {
		if _, err := conn.ExecContext(ctx, do); err != nil {
			return false, err
		}
	}
	// A page that was never written would be a hole in the file. Once it is written, it keeps
	// its block on the disk, even when it is free.
	var blocked bool
	var logged, written int
	if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&blocked, &logged, &written); err != nil {
		return false, err
	}
	// The dropped pages are still in the connection's cache, and are not read again.
	_, err = conn.ExecContext(ctx, "DROP TABLE reserve; PRAGMA shrink_memory")
	return !blocked && written == logged, err
}

// tryDisk writes a file of some bytes and removes it, since systems do not agree on how to ask for
// free room. It does not sync, so the bytes rarely reach the disk.
func (db *DB) tryDisk(bytes int) (err error) {
	name := db.path + "-room"
	// A file of that name is of a process that was killed. Only a new file is written to: a link
	// could lead to another file, and a pipe would block.
	_ = os.Remove(name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return db.explainFile(err)
	}
	// Removed at once, if the system can do that, so that a killed process leaves no file.
	gone := os.Remove(name) == nil
	for block := make([]byte, little); bytes > 0 && err == nil; bytes -= little {
		_, err = f.Write(block)
	}
	err = errors.Join(err, f.Close())
	if !gone {
		err = errors.Join(err, os.Remove(name))
	}
	return db.explainFile(err)
}

// explainFile is explain for errors of the file system.
func (db *DB) explainFile(err error) error {
	if atomicfile.IsFull(err) {
		return db.full(err)
	}
	return err
}
