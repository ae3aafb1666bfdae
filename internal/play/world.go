package play

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"discoclaw/internal/app"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
)

// openWorld takes the world out of a file, if there is one. A file that is damaged is set
// aside, with a warning. Any other that holds no world is refused: it may be something
// else that somebody named by mistake.
func openWorld(file string, errs io.Writer) (*fakediscord.World, error) {
	if file == "" {
		return fakediscord.New(layout)
	}
	file, err := atomicfile.Target(file)
	if err != nil {
		return nil, app.Mistakef("%v; remove the link, or name another file", err)
	}
	world, err := loadWorld(file)
	var torn *save.TornError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fakediscord.New(layout)
	case errors.As(err, &torn):
		return mend(file, torn, errs)
	case err != nil:
		return nil, app.Mistakef("%v", err)
	}
	return world, nil
}

func loadWorld(file string) (*fakediscord.World, error) {
	info, err := os.Stat(file)
	switch {
	case err == nil && !info.Mode().IsRegular(): // to open a pipe could take for ever
		return nil, fmt.Errorf("%s is not a file to keep a world in", file)
	case err != nil:
		return nil, fmt.Errorf("open the world: %w", err)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open the world: %w", err)
	}
	defer f.Close() // only read
	world, err := save.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s is no world to play on: %w", file, err)
	}
	return world, nil
}

// mend puts the last world that is whole, or a new one, in the place of a damaged file.
func mend(file string, torn error, errs io.Writer) (*fakediscord.World, error) {
	world, which, err := lastGood(file)
	if err != nil {
		return nil, app.Mistakef("%s is damaged (%v), and the world before it cannot be used: %v; move both away to begin with a new one", file, torn, err)
	}
	aside, err := setAside(file)
	if err != nil {
		return nil, app.Mistakef("%s is damaged (%v) and cannot be set aside (%v); move it away yourself", file, torn, err)
	}
	// The damaged file has both names until now, so that whoever is killed here begins
	// with it again, and not with nothing.
	if err := writeWorld(world, file); err != nil {
		return nil, err
	}
	if errs != nil {
		fmt.Fprintf(errs, "warning: %s was damaged: %v. It is now %s, and the playground begins with %s.\n", file, torn, aside, which)
	}
	return world, nil
}

// lastGood is the world that was saved before the one in a file, or a new one, and says
// which. One that is there but was not torn by accident is not to be passed over.
func lastGood(file string) (*fakediscord.World, string, error) {
	world, err := loadWorld(previous(file))
	if err == nil {
		return world, "the world that was saved before it" + savedAt(previous(file)), nil
	}
	var torn *save.TornError
	if !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &torn) {
		return nil, "", err
	}
	world, err = fakediscord.New(layout)
	return world, "a new world", err
}

// savedAt says when a file was saved.
func savedAt(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "" // it was there a moment ago
	}
	return ", at " + info.ModTime().UTC().Format("2006-01-02 15:04 UTC")
}

// setAside gives a file another name, which nothing else has, besides its own.
func setAside(file string) (string, error) {
	first := file + ".aside-" + time.Now().UTC().Format("20060102-150405")
	for aside, n := first, 2; ; aside, n = first+"-"+strconv.Itoa(n), n+1 {
		if err := os.Link(file, aside); !errors.Is(err, fs.ErrExist) {
			return aside, err
		}
	}
}

// previous is where the world before the one in a file is.
func previous(file string) string { return file + ".previous" }

// saveWorld writes a world to its file, if it has one, and keeps what was there before.
func saveWorld(world *fakediscord.World, file string) error {
	if file == "" {
		return nil
	}
	file, err := atomicfile.Target(file)
	if err != nil {
		return fmt.Errorf("keep the world: %w", err)
	}
	// Where there are no hard links, or no file yet, there is nothing before it.
	_ = os.Remove(previous(file))
	_ = os.Link(file, previous(file))
	return writeWorld(world, file)
}

// writeWorld writes a world for the owner of the file alone.
func writeWorld(world *fakediscord.World, file string) error {
	write := func(to io.Writer) error { return save.Write(to, world) }
	if err := atomicfile.WritePath(file, 0o600, write); err != nil {
		return app.Mistakef("the world cannot be kept in %s (%v); make sure that its folder is there, can be written to and has room, or name another file", file, err)
	}
	return nil
}
