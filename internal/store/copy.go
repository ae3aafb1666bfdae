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
