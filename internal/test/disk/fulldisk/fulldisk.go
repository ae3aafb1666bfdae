// Package fulldisk gives a test a disk that can be full at any moment, for the databases in a
// folder. It is for tests only.
//
// SQLite writes to its files through a table of functions. This package registers one that
// refuses writes as the system does, so the database returns the errors of a real full disk
// at any chosen write. Other files, such as settings, are written as usual; for these the
// package smalldisk has a disk that really is full.
package fulldisk

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	lib "modernc.org/sqlite/lib"
)

// A State is which writes a disk accepts.
type State int

const (
	// Roomy disks accept all writes.
	Roomy State = iota
	// Full disks let no file grow. Existing content can be changed.
	Full
	// Spent disks accept no writes: the reserve is used up too.
	Spent
	// Broken disks accept no writes either, and return an I/O error.
	Broken
)

// String is the state as a test tells of it.
func (s State) String() string { return [...]string{"roomy", "full", "spent", "broken"}[s] }

// A Disk holds the databases of a folder. It is safe for concurrent use.
type Disk struct {
	folder string

	mu      sync.Mutex
	state   State
	next    State
	left    int  // writes until the next state; 0 if there is none
	stumble int  // writes until one that fails alone; 0 for none
	cut     bool // see Cut
}

// New returns the disk of a folder, for databases that are opened from now on until the test
// ends. It is Roomy.
func New(t testing.TB, folder string) *Disk {
	t.Helper()
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	d := &Disk{folder: folder + string(filepath.Separator)}
	if err := attend(d); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { forget(d) })
	return d
}

// Become sets the state of the disk, at once or after some more writes. A transaction is
// several writes.
func (d *Disk) Become(s State, writes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.next, d.left = s, writes; writes == 0 {
		d.state = s
	}
}

// Stumble makes a single write fail, after some others.
func (d *Disk) Stumble(writes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stumble = writes + 1
}

// State is the present state of the disk.
func (d *Disk) State() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// Cut discards all writes while end runs, which closes the databases: they are left as if the
// process had been killed before.
func (d *Disk) Cut(end func()) {
	d.setCut(true)
	defer d.setCut(false)
	end()
}

func (d *Disk) setCut(cut bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut = cut
}

func (d *Disk) has(path string) bool { return strings.HasPrefix(path, d.folder) }

// write is called before a write up to an offset in a file. It returns SQLite's result code.
func (d *Disk) write(path string, end int64) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut {
		return lib.SQLITE_IOERR_WRITE
	}
	if d.left > 0 {
		if d.left--; d.left == 0 {
			d.state = d.next
		}
	}
	if d.stumble > 0 {
		if d.stumble--; d.stumble == 0 {
			return lib.SQLITE_IOERR_WRITE
		}
	}
	switch {
	case d.state == Broken:
		return lib.SQLITE_IOERR_WRITE
	case d.state == Spent, d.state == Full && size(path) < end:
		return lib.SQLITE_FULL
	}
	return lib.SQLITE_OK
}

// share is called before the shared memory of connections, which is a file as well, grows to
// a size.
func (d *Disk) share(path string, end int64) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if (d.cut || d.state != Roomy) && size(path+"-shm") < end {
		return lib.SQLITE_IOERR_SHMSIZE
	}
	return lib.SQLITE_OK
}

// remove is called before a file is deleted.
func (d *Disk) remove() int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut {
		return lib.SQLITE_IOERR_DELETE
	}
	return lib.SQLITE_OK
}

// size is the size of a file; 0 if there is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
