package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"discoclaw/internal/disk/atomicfile"
)

// copyOf is where the copy of a database is.
func copyOf(path string) string { return strings.TrimSuffix(path, ".db") + "-copy.db" }

// Copy writes the database as it is now into a file beside it, in the place of the copy
// before. Others go on reading and writing meanwhile. If the database cannot be used at
// some later start, Open goes on with the copy.
func (db *DB) Copy(ctx context.Context) error {
	if err := db.copy(ctx); err != nil {
		return fmt.Errorf("keep a copy of the database: %w", db.explain(err))
	}
	return nil
}

func (db *DB) copy(ctx context.Context) error {
	draft := copyOf(db.path) + ".new"
	for _, name := range family(draft) { // of a process that was killed
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := create(draft); err != nil { // SQLite itself would let others read it
		return err
	}
	err := db.fill(ctx, draft)
	if err == nil {
		err = atomicfile.Rename(draft, copyOf(db.path))
	}
	if err != nil {
		_ = os.Remove(draft) // the first error is the one to tell
	}
	return err
}

// fill writes the database into an empty file, with a note that it is a copy. It is on
// the disk when fill returns.
func (db *DB) fill(ctx context.Context, draft string) error {
	if err := execute(ctx, db.path, "VACUUM INTO ?", draft); err != nil {
		return err
	}
	return execute(ctx, draft, "INSERT OR REPLACE INTO copied (id, made) VALUES (1, ?)", time.Now().UnixMicro())
}

// execute runs a statement on a connection of its own, which nobody else waits for.
func execute(ctx context.Context, path, statement string, args ...any) error {
	conn, err := sql.Open("sqlite", source(path, "_pragma=synchronous(FULL)"))
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, statement, args...)
	return errors.Join(err, conn.Close())
}
