// Package datadir is the folder where the bot keeps what it must not forget. One
// process at a time may have it open.
package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// A Dir is an open data directory.
type Dir struct {
	path string
	lock *os.File
}

// lockFile tells who has the directory open. It stays behind; what counts is
// whether somebody holds it, and the system lets go of it when a process ends,
// however it ends.
const lockFile = "discoclaw.lock"

// owner is what a lock file says.
type owner struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// An InUseError means that another process has the directory open.
type InUseError struct {
	Path string
	PID  int // 0 if it is not known
}

func (e *InUseError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("the bot is running already: %s uses the data directory %s; stop it first, or set DISCOCLAW_DATA_DIR to another folder", who, e.Path)
}

// Open makes the directory if need be and takes it for this process. The path comes
// from Choose.
func Open(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("the data directory cannot be made (%w); set DISCOCLAW_DATA_DIR to another folder", err)
	}
	name := filepath.Join(path, lockFile)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the data directory cannot be written to (%w); change its permissions, or set DISCOCLAW_DATA_DIR to another folder", err)
	}
	if err := lock(f); err != nil {
		defer f.Close()
		if errors.Is(err, errHeld) {
			return nil, &InUseError{Path: path, PID: holder(name)}
		}
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	d := &Dir{path: path, lock: f}
	if err := d.sign(); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", name, err), d.Close())
	}
	return d, nil
}

// sign writes into the lock file who holds it, for people who look.
func (d *Dir) sign() error {
	text, err := json.Marshal(owner{PID: os.Getpid(), Since: time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := d.lock.Truncate(0); err != nil {
		return err
	}
	_, err = d.lock.WriteAt(append(text, '\n'), 0)
	return err
}

func holder(name string) int {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	var o owner
	if json.Unmarshal(text, &o) != nil {
		return 0 // being written just now, or by hand
	}
	return o.PID
}

// Sub makes a folder in the directory and returns its path.
func (d *Dir) Sub(name string) (string, error) {
	path := filepath.Join(d.path, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf("make a folder in the data directory: %w", err)
	}
	return path, nil
}

// Check says what would keep the directory from being opened. It leaves no trace.
func Check(path string) error {
	existing := path
	for {
		info, err := os.Stat(existing)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is not a folder; set DISCOCLAW_DATA_DIR to another one", existing)
		case err == nil:
			return writable(existing)
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

// Close lets others open the directory.
func (d *Dir) Close() error { return d.lock.Close() }

// Choose is where the directory is: where somebody says, or else where this system
// keeps a user's data. It stays there when the process goes to another folder.
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

// usual is where this system keeps a user's data.
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
