package play

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
)

// openWorld reads the world of a file, if there is one, or makes one of a layout. A damaged file is set aside, with
// a warning. Any other that is no world is refused: it may have been named by mistake.
func openWorld(file, layout string, errs io.Writer) (world *fakediscord.World, fresh bool, err error) {
	err = fs.ErrNotExist
	if file != "" {
		world, err = loadWorld(file)
	}
	var torn *save.TornError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		world, err = newWorld(layout)
		return world, err == nil, err
	case errors.As(err, &torn):
		world, err = mend(file, layout, torn, errs)
		return world, false, err
	case err != nil:
		return nil, false, config.Mistakef("%v", err)
	}
	return world, false, nil
}

func newWorld(layout string) (*fakediscord.World, error) {
	world, err := fakediscord.New(layout)
	if err != nil {
		return nil, config.Mistakef("%v", err)
	}
	return world, nil
}

func loadWorld(file string) (*fakediscord.World, error) {
	info, err := os.Stat(file)
	switch {
	case err == nil && !info.Mode().IsRegular(): // opening a pipe could block
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

// mend replaces a damaged file with the last good world, or a new one.
func mend(file, layout string, torn error, errs io.Writer) (*fakediscord.World, error) {
	world, which, err := lastGood(file, layout)
	if err != nil {
		return nil, config.Mistakef("%s is damaged (%v), and the world before it cannot be used: %v; move both away to begin with a new one", file, torn, err)
	}
	aside, err := setAside(file)
	if err != nil {
		return nil, config.Mistakef("%s is damaged (%v) and cannot be set aside (%v); move it away yourself", file, torn, err)
	}
	// The damaged file has both names until now, so that after a crash here the next start
	// finds it again.
	var text bytes.Buffer
	if err := save.Write(&text, world); err != nil {
		return nil, unkept(file, err)
	}
	if err := replace(file, text.Bytes()); err != nil {
		return nil, err
	}
	if errs != nil {
		fmt.Fprintf(errs, "warning: %s was damaged: %v. It is now %s, and the playground begins with %s.\n", file, torn, aside, which)
	}
	return world, nil
}

// lastGood is the previous world of a file, or a new one, and says which. An unreadable
// previous one that was not torn is an error.
func lastGood(file, layout string) (*fakediscord.World, string, error) {
	world, err := loadWorld(previous(file))
	if err == nil {
		return world, "the world that was saved before it" + savedAt(previous(file)), nil
	}
	var torn *save.TornError
	if !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &torn) {
		return nil, "", err
	}
	world, err = newWorld(layout)
	return world, "a new world", err
}

// savedAt is the time of a file, in words.
func savedAt(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "" // it existed a moment ago
	}
	return ", at " + info.ModTime().UTC().Format("2006-01-02 15:04 UTC")
}

// setAside links a file to a second, new name.
func setAside(file string) (string, error) {
	first := file + ".aside-" + time.Now().UTC().Format("20060102-150405")
	for aside, n := first, 2; ; aside, n = first+"-"+strconv.Itoa(n), n+1 {
		if err := os.Link(file, aside); !errors.Is(err, fs.ErrExist) {
			return aside, err
		}
	}
}

// dataBeside is the folder of the bot's data that belongs to the world of a file. The bot's tasks, memories and
// jobs are about that world, and what it has answered already is on it.
func dataBeside(file string) string { return file + ".data" }

// previous is the file with the previous world.
func previous(file string) string { return file + ".previous" }
