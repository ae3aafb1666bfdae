package play

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"

	"discoclaw/internal/config"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
)

// keepWorld saves a world to a file now, and from now on every change before people and the bot see it. So a
// playground that is killed loses nothing. While saving fails, the playground continues with one warning, and
// the next change or look at the world tries again.
func keepWorld(world *fakediscord.World, path string, errs io.Writer) (*worldFile, error) {
	f := &worldFile{path: path, log: save.NewLog(world)}
	if err := f.save(); err != nil {
		return nil, err
	}
	failing := false
	world.Keep(func() error { // never concurrently
		err := f.save()
		if err != nil && !failing && errs != nil {
			fmt.Fprintf(errs, "warning: %v. Until then, what happens is lost when the playground is killed.\n", err)
		}
		failing = err != nil
		return err
	})
	return f, nil
}

// A worldFile is the file of a world: the whole world, and lines about what has changed since. It is synced after each
// of them, so that a power cut loses nothing either.
type worldFile struct {
	path string

	mu    sync.Mutex
	log   *save.Log
	end   *os.File // for the next line; nil if the whole world has to be written
	whole int64    // the size of the whole world
	lines int64    // the size of the lines
}

// save appends what has changed. When there are more lines than world, it writes the whole world instead, so that a
// file is at most twice as large as its world, and that much is written for each change on average.
func (f *worldFile) save() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.keep()
}

func (f *worldFile) keep() error {
	if f.end != nil && f.lines <= f.whole && f.isThere() && f.append() == nil {
		return nil
	}
	return f.rewrite()
}

// isThere reports whether the file is as it was left.
func (f *worldFile) isThere() bool {
	is, err := os.Stat(f.path)
	was, lost := f.end.Stat()
	return err == nil && lost == nil && os.SameFile(is, was) && is.Size() == f.whole+f.lines
}

func (f *worldFile) append() error {
	line, err := f.log.Change()
	if err != nil || len(line) == 0 {
		return err
	}
	if _, err := f.end.Write(line); err != nil {
		return err
	}
	f.lines += int64(len(line))
	return f.end.Sync()
}

// rewrite writes the whole world to a file that only its owner can read, and keeps the file that was there.
func (f *worldFile) rewrite() error {
	if f.end != nil {
		_ = f.end.Close() // it has been synced
		f.end = nil
	}
	var text bytes.Buffer
	if err := f.log.Whole(&text); err != nil {
		return unkept(f.path, err)
	}
	if _, err := os.Stat(f.path); err == nil {
		// Without hard links there is no previous one.
		_ = os.Remove(previous(f.path))
		_ = os.Link(f.path, previous(f.path))
	}
	if err := replace(f.path, text.Bytes()); err != nil {
		return err
	}
	end, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil // the next change tries again, after writing the whole world
	}
	f.end, f.whole, f.lines = end, int64(text.Len()), 0
	return nil
}

// close saves what could not be saved before, and leaves no lines, for people who read the file.
func (f *worldFile) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.keep(); err != nil {
		return err
	}
	if f.lines > 0 {
		_ = f.rewrite() // the lines say the same
	}
	if f.end != nil {
		_ = f.end.Close() // it has been synced
		f.end = nil
	}
	return nil
}

// replace writes a file that only its owner can read.
func replace(path string, text []byte) error {
	return unkept(path, atomicfile.WritePath(path, 0o600, func(to io.Writer) error {
		_, err := to.Write(text)
		return err
	}))
}

// unkept says what to do when a world cannot be saved.
func unkept(path string, err error) error {
	if err == nil {
		return nil
	}
	return config.Mistakef("the world cannot be kept in %s (%v); make sure that its folder is there, can be written to and has room, or name another file", path, err)
}
