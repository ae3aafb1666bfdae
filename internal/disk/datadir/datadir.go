// Package datadir is the folder that holds the database and the bot's files. A lock lets
// one process at a time have it open.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A Dir is an open data directory.
type Dir struct {
	path  string
	locks *locks
}

// Open makes the directory if need be and takes it for this process. The path comes
// from Choose.
func Open(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		if info, _ := os.Stat(path); info != nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is a file, not a folder; set DISCOCLAW_DATA_DIR to another folder", path)
		}
		return nil, fmt.Errorf("the data directory cannot be made (%w); set DISCOCLAW_DATA_DIR to another folder", err)
	}
	held, err := take(path)
	if err != nil {
		return nil, err
	}
	return &Dir{path: path, locks: held}, nil
}

// Sub makes a folder in the directory and returns its path.
func (d *Dir) Sub(name string) (string, error) {
	path := filepath.Join(d.path, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf("a folder cannot be made in the data directory (%w); move away what is there, change the permissions of %s, or set DISCOCLAW_DATA_DIR to another folder", err, d.path)
	}
	return path, nil
}

// Check returns the error that Open would, without changing anything on the disk.
func Check(path string) error {
	existing := path
	for {
		info, err := os.Stat(existing)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is not a folder; set DISCOCLAW_DATA_DIR to another one", existing)
		case err == nil:
			return errors.Join(checkLock(filepath.Join(path, LockFile)), writable(existing))
		case filepath.Dir(existing) == existing || !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s cannot be reached (%w); set DISCOCLAW_DATA_DIR to another folder", path, err)
		}
		existing = filepath.Dir(existing)
	}
}

func writable(folder string) error {
	f, err := os.CreateTemp(folder, ".discoclaw-")
	if err != nil {
		return fmt.Errorf("%s cannot be written to; change its permissions, or set DISCOCLAW_DATA_DIR to another folder", folder)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Close releases the lock.
func (d *Dir) Close() error { return d.locks.release() }

// Choose returns the absolute path of the directory: the given one, or the system's usual
// place for a user's data if it is empty.
func Choose(path string) (string, error) {
	if path == "" {
		return usual()
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the data directory (DISCOCLAW_DATA_DIR): %w", err)
	}
	return path, nil
}

// usual returns the system's usual place for a user's data.
func usual() (string, error) {
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "discoclaw"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		base, err := os.UserConfigDir()
		if err != nil {
			return "", errNoHome
		}
		return filepath.Join(base, "discoclaw"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errNoHome
	}
	return filepath.Join(home, ".local", "share", "discoclaw"), nil
}

var errNoHome = errors.New("there is no home directory to keep data in; set DISCOCLAW_DATA_DIR")
