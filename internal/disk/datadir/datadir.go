// Package datadir is the folder that holds the database and the bot's files. A lock lets
// one process at a time have it open.
package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
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

// LockFile names the process that has the directory open. The file is never removed; only the
// lock on it counts, which the system releases when its process ends, however that ends. The
// text in the file decides nothing.
const LockFile = "discoclaw.lock"

// owner is the text of a lock file, for messages to people.
type owner struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host,omitempty"`
	Since time.Time `json:"since"`
}

// An InUseError means that another process has the directory open.
type InUseError struct {
	Path string

	// The process, as far as it is known.
	PID   int
	Host  string
	Since time.Time
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("the bot is running already: %s uses the data directory %s; stop it first, or set DISCOCLAW_DATA_DIR to another folder", e.Who(), e.Path)
}

// Who names the process as the subject of a sentence.
func (e *InUseError) Who() string {
	if e.PID == 0 {
		return "another process"
	}
	who := fmt.Sprintf("process %d", e.PID)
	if e.Host != "" {
		who += " on host " + e.Host
	}
	if !e.Since.IsZero() {
		who += ", since " + e.Since.UTC().Format("2006-01-02 15:04 UTC") + ","
	}
	return who
}

// InUse returns the process that has the directory open, or nil if none is known to. It
// changes nothing on the disk.
func InUse(path string) *InUseError {
	for _, name := range []string{filepath.Join(path, LockFile), path} {
		if o, held := heldBy(name); held {
			return &InUseError{Path: path, PID: o.PID, Host: o.Host, Since: o.Since}
		}
	}
	return nil
}

// heldBy reports whether a lock is held, and its owner if name is the lock file.
func heldBy(name string) (owner, bool) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return owner{}, false
	}
	f, err := os.Open(name)
	if err != nil {
		return owner{}, false
	}
	defer f.Close() // only read
	if err := probe(f); !errors.Is(err, errHeld) {
		return owner{}, false
	}
	return holder(f), true
}

// locks are held by a process as long as it has the directory open: one on the lock file, and one on
// the directory itself, in case the file is removed as stale by hand. Not every file system
// can lock a directory.
type locks struct{ file, folder *os.File }

// take takes the locks of a directory and signs the file.
func take(path string) (*locks, error) {
	l, err := openLocks(path)
	if err != nil {
		return nil, err
	}
	if err = l.lock(); errors.Is(err, errHeld) {
		time.Sleep(probeTime)
		err = l.lock()
	}
	switch {
	case err == nil:
		sign(l.file)
		return l, nil
	case errors.Is(err, errHeld):
		o := holder(l.file)
		err = &InUseError{Path: path, PID: o.PID, Host: o.Host, Since: o.Since}
	default:
		err = fmt.Errorf("lock %s: %w", l.file.Name(), err)
	}
	return nil, errors.Join(err, l.release())
}

func openLocks(path string) (*locks, error) {
	name := filepath.Join(path, LockFile)
	if err := checkLock(name); err != nil {
		return nil, err
	}
	folder, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the data directory cannot be read (%w); change its permissions, or set DISCOCLAW_DATA_DIR to another folder", err)
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		_ = folder.Close() // was only opened
		return nil, fmt.Errorf("the data directory cannot be written to (%w); change its permissions, or set DISCOCLAW_DATA_DIR to another folder", err)
	}
	return &locks{file: file, folder: folder}, nil
}

// probeTime is longer than a probe takes. A probe by another process must not keep the bot
// from starting.
const probeTime = 10 * time.Millisecond

func (l *locks) lock() error {
	if err := lock(l.file); err != nil {
		return err
	}
	if err := lock(l.folder); errors.Is(err, errHeld) {
		return err
	}
	return nil
}

func (l *locks) release() error {
	_ = unlock(l.folder) // it may not have been locked
	return errors.Join(unlock(l.file), l.file.Close(), l.folder.Close())
}

// checkLock refuses a lock that is not a plain file. Signing through a symbolic link would overwrite
// its target.
func checkLock(name string) error {
	info, err := os.Lstat(name)
	if err != nil || info.Mode().IsRegular() {
		return nil // opening it returns the error
	}
	what := "something else"
	switch {
	case info.IsDir():
		what = "a folder"
	case info.Mode()&fs.ModeSymlink != 0:
		what = "a symbolic link"
	}
	return fmt.Errorf("%s must be a plain file, which the bot makes itself, but is %s; move that away, or set DISCOCLAW_DATA_DIR to another folder", name, what)
}

// sign writes the owner into the lock file. A full disk does not keep the bot from running: then the
// file is empty or truncated, and its owner unknown.
func sign(f *os.File) {
	host, _ := os.Hostname() // left out if unknown
	text, err := json.Marshal(owner{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		err = f.Truncate(0) // first, so that nothing of a longer text stays
	}
	if err == nil {
		_, _ = f.WriteAt(append(text, '\n'), 0)
	}
}

// hostName matches a name that may be shown, up to maxHostName bytes. A file can hold anything.
var hostName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

const maxHostName = 253

// holder reads the owner from a lock file. It is zero if the file cannot be parsed, as when it is just
// being written.
func holder(f *os.File) owner {
	var o owner
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if err != nil || json.Unmarshal(text, &o) != nil || o.PID <= 0 {
		return owner{}
	}
	if len(o.Host) > maxHostName || !hostName.MatchString(o.Host) {
		o.Host = ""
	}
	return o
}
