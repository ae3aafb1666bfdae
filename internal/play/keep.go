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
	f := &worldFile{path: path}
	if err := f.save(world); err != nil {
		return nil, err
	}
	failing := false
	world.Keep(func() error { // never concurrently
		err := f.save(world)
		if err != nil && !failing && errs != nil {
			fmt.Fprintf(errs, "warning: %v. Until then, what happens is lost when the playground is killed.\n", err)
		}
		failing = err != nil
		return err
	})
	return f, nil
}

// A worldFile is the file of a world.
type worldFile struct {
	path string

	mu   sync.Mutex
	last []byte // the text that was saved last
}

// save writes a world that only its owner can read, unless it is unchanged, and keeps the previous one. The
// file has been synced then, so that a power cut loses nothing either.
func (f *worldFile) save(world *fakediscord.World) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var text bytes.Buffer
	err := save.Write(&text, world)
	if err == nil && bytes.Equal(text.Bytes(), f.last) {
		return nil
	}
	if err == nil {
		err = f.replace(text.Bytes())
	}
	if err != nil {
		return config.Mistakef("the world cannot be kept in %s (%v); make sure that its folder is there, can be written to and has room, or name another file", f.path, err)
	}
	f.last = text.Bytes()
	return nil
}

func (f *worldFile) replace(text []byte) error {
	if f.last != nil {
		// Without hard links there is no previous one.
		_ = os.Remove(previous(f.path))
		_ = os.Link(f.path, previous(f.path))
	}
	return atomicfile.WritePath(f.path, 0o600, func(to io.Writer) error {
		_, err := to.Write(text)
		return err
	})
}
