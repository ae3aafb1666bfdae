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
	"time"
)

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
