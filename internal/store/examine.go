package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Condition is the state of a database and of the files beside it.
type Condition struct {
	Made    bool   // there is one, or was
	Unread  bool   // only Open can read it, since it has a WAL without an index
	Trouble string // why Open would set it aside, as the end of a sentence; empty if it would not

	Copied      time.Time // when its copy was made; zero if there is no usable one
	CopyTrouble string    // why the copy cannot be used, if there is one

	Aside      int   // files that were set aside
	AsideBytes int64 // in all of them

	Free   int64 // bytes free on the disk; -1 if unknown
	Wanted int64 // bytes that should be free
}

// comfort is how many bytes should be free, besides those for a copy: more than the reserve,
// for a day of messages.
const comfort = 16 << 20

// Examine returns the condition of the database at path, as Open would find it. It changes
// nothing, takes no lock that others wait for, and works while a process has the database open.
// The error is that of Open.
func Examine(ctx context.Context, path string) (Condition, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Condition{}, fmt.Errorf("find the database: %w", err)
	}
	c := Condition{Free: freeRoom(filepath.Dir(path)), Wanted: comfort + sizeOf(path)}
	c.countAside(path)
	c.lookAtCopy(ctx, copyOf(path))
	if c.Trouble, err = look(path); err != nil || c.Trouble != "" {
		c.Made = true
		return c, err
	}
	c.Made = hasText(path)
	c.Unread = c.Made && hasText(path+"-wal") && !isOpen(path)
	if !c.Made || c.Unread {
		return c, nil
	}
	if err := mayWrite(path); err != nil {
		return c, err
	}
	c.Trouble, err = peek(ctx, path, func(db *DB) error {
		_, err := db.inspect(ctx)
		return err
	})
	return c, err
}

func sizeOf(path string) int64 {
	if info, err := os.Stat(path); err == nil {
		return info.Size()
	}
	return 0
}

func (c *Condition) countAside(path string) {
	folder, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // opening a file there returns the error
	}
	for _, file := range folder {
		if strings.HasPrefix(file.Name(), filepath.Base(path)+asideMark) {
			c.Aside++
			c.AsideBytes += sizeOf(filepath.Join(filepath.Dir(path), file.Name()))
		}
	}
}

func (c *Condition) lookAtCopy(ctx context.Context, path string) {
	if !hasText(path) {
		return
	}
	trouble, err := peek(ctx, path, func(db *DB) error {
		if _, err := db.inspect(ctx); err != nil {
			return err
		}
		err := db.readOrigin(ctx)
		c.Copied = db.beginning.Copied
		return err
	})
	if c.CopyTrouble = trouble; err != nil {
		c.CopyTrouble = err.Error()
	}
}

// peek reads a database. It returns the trouble for which Open would set it aside apart from other
// errors. After an error it retries once: a process may have opened or closed the database.
func peek(ctx context.Context, path string, read func(*DB) error) (trouble string, err error) {
	for range 2 {
		if err = peekOnce(path, read); err == nil || ctx.Err() != nil {
			break
		}
	}
	var bad *unusableError
	if errors.As(err, &bad) {
		return bad.trouble, nil
	}
	return "", err
}

func peekOnce(path string, read func(*DB) error) (err error) {
	// Without immutable, SQLite would create a WAL; without readonly_shm, it would update the
	// index of an existing one.
	how := []string{"immutable=1"}
	if isOpen(path) {
		how = []string{"mode=ro", "readonly_shm=1"}
	}
	conn, err := sql.Open("sqlite", source(path, readerCacheKB, how...))
	if err != nil {
		return fmt.Errorf("open the database %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return read(&DB{path: path, write: conn})
}

// isOpen reports whether a process has a database open, or was killed while it had. Closing it
// removes the WAL.
func isOpen(path string) bool {
	_, err := os.Stat(path + "-wal")
	return err == nil && hasText(path+"-shm")
}

// mayWrite returns an error if a database cannot be written to. It does not touch one that is open:
// closing its file would drop the locks that SQLite has on it, should this process have it
// open.
func mayWrite(path string) error {
	if isOpen(path) {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("the database %s cannot be written to; change its permissions and those of its folder, or set DISCOCLAW_DATA_DIR to another one (%w)", path, err)
	}
	return f.Close()
}
