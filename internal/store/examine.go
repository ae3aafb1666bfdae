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

// A Condition is how a database is, and what is beside it.
type Condition struct {
	Made    bool   // there is one, or was
	Unread  bool   // only Open can read it, since it has a log without the index of that
	Trouble string // why Open would set it aside, as the end of a sentence; empty if it would not

	Copied      time.Time // when its copy was made; zero if there is none that can be used
	CopyTrouble string    // why the copy cannot be used, if there is one

	Aside      int   // files that were set aside
	AsideBytes int64 // in all of them

	Free   int64 // bytes that are left on the disk; -1 if nobody knows
	Wanted int64 // bytes that should be left there
}

// comfort is how much room a disk should have, besides that for a copy: more than the bot
// sets aside, for what people write in a day.
const comfort = 16 << 20

// Examine says how the database at path is, as Open would find it. It changes nothing, keeps
// nobody from it, and may be called while somebody has it open. The error is that of Open.
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
		return // what is wrong with it shows when something is opened there
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

// peek reads a database, and tells what Open would set it aside for from other errors. If
// there is something wrong, it looks twice: somebody may have opened or closed it meanwhile.
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
	// SQLite would make a log where there is none, unless it is told that nothing changes;
	// and it would bring the index of a log up to date, unless it may not.
	how := []string{"immutable=1"}
	if isOpen(path) {
		how = []string{"mode=ro", "readonly_shm=1"}
	}
	conn, err := sql.Open("sqlite", source(path, how...))
	if err != nil {
		return fmt.Errorf("open the database %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return read(&DB{path: path, write: conn})
}

// isOpen says whether somebody has a database open, or was killed while they had. All others
// close it without leaving a log.
func isOpen(path string) bool {
	_, err := os.Stat(path + "-wal")
	return err == nil && hasText(path+"-shm")
}

// mayWrite says why a database could not be written to. One that is open is left alone: to
// close its file would take away the locks that SQLite has on it, should it be this process
// that has it open.
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
