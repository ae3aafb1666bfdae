package datadir_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/test/disk/smalldisk"
)

// refused opens a directory that is open already.
func refused(t *testing.T, path string) *datadir.InUseError {
	t.Helper()
	_, err := datadir.Open(path)
	var inUse *datadir.InUseError
	if !errors.As(err, &inUse) {
		t.Fatalf("the second one got %v", err)
	}
	if !strings.Contains(err.Error(), "DISCOCLAW_DATA_DIR") {
		t.Errorf("no remedy in %q", err)
	}
	return inUse
}

// put writes the text of a lock file.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path, "discoclaw.lock"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheDirectoryIsOpenedOnceAtATime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "data")
	first := open(t, path)
	if who := refused(t, path); who.PID != os.Getpid() {
		t.Errorf("it is said to be %+v", who)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
}

func TestARefusalNamesTheOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host, err := os.Hostname()
		if err != nil {
			t.Skip(err)
		}
		path := t.TempDir()
		put(t, path, `{"pid":123456789,"host":"a-name-that-is-longer-than-any-other-that-could-follow-it-in-this-file"}`)
		first := open(t, path)
		defer first.Close()
		time.Sleep(time.Hour)
		want := fmt.Sprintf("process %d on host %s, since 2000-01-01 00:00 UTC, uses the data directory %s;", os.Getpid(), host, path)
		if err := refused(t, path); !strings.Contains(err.Error(), want) {
			t.Errorf("it said %q, want %q", err, want)
		}
	})
}

func TestInUseNamesTheOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data")
	if who := datadir.InUse(path); who != nil {
		t.Errorf("a missing directory is used by %s", who.Who())
	}
	d := open(t, path)
	for range 2 { // InUse changes nothing
		if who := datadir.InUse(path); who == nil || who.PID != os.Getpid() || who.Path != path {
			t.Errorf("it is said to be used by %+v", who)
		}
	}
	if err := os.Remove(filepath.Join(path, "discoclaw.lock")); err != nil {
		t.Fatal(err)
	}
	if who := datadir.InUse(path); who == nil || who.Who() != "another process" {
		t.Errorf("without the file, it is said to be used by %+v", who)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(path)
	if who := datadir.InUse(path); who != nil || err != nil {
		t.Errorf("it is said to be used by %s; %v", who.Who(), err)
	}
	if after, err := os.ReadDir(path); err != nil || len(after) != len(before) {
		t.Errorf("%v became %v, %v", before, after, err)
	}
}

// TestTheTextOfALockDecidesNothing: a directory whose lock is free is opened and one whose lock
// is held is not, whatever the file says.
func TestTheTextOfALockDecidesNothing(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	who := `{"pid":77,"host":"elsewhere","since":"2026-11-15T12:00:00Z"}`
	for text, want := range map[string]string{
		who:            "process 77 on host elsewhere, since 2026-11-15 12:00 UTC, uses the data",
		`{"pid":77}`:   "already: process 77 uses the data",
		"":             "already: another process uses the data",
		"77":           "another process",
		"hands off!\n": "another process",
		`{"pid":-1}`:   "another process",
		`{"pid":"x"}`:  "another process",
		`{"pid":77,"host":"\u001b[2J evil\nhost"}`:              "already: process 77 uses the data",
		`{"pid":77,"host":"` + strings.Repeat("x", 5000) + `"}`: "another process",
		strings.Repeat("\x00", 100):                             "another process",
	} {
		put(t, path, text)
		d := open(t, path)
		put(t, path, text)
		if err := refused(t, path); !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: it said %q, want %q", text, err, want)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, path)
	defer d.Close()
	for i := range who { // as a disk that is full would leave it
		put(t, path, who[:i])
		if err := refused(t, path); err.PID != 0 {
			t.Errorf("%q is taken for process %d", who[:i], err.PID)
		}
	}
}

// TestAClosedDirectoryIsFreeAtOnce: a child between fork and exec has all files of this process
// open, the lock included.
func TestAClosedDirectoryIsFreeAtOnce(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	var starting sync.WaitGroup
	starting.Go(func() {
		for ctx.Err() == nil {
			_ = exec.Command(os.Args[0], "-test.run=^$").Run() // all it has to do is start
		}
	})
	defer starting.Wait()
	defer stop()
	path := t.TempDir()
	for range 300 {
		if err := open(t, path).Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARemovedLockFileDoesNotFreeTheDirectory(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	d := open(t, path)
	for range 2 {
		if err := os.Remove(filepath.Join(path, "discoclaw.lock")); err != nil {
			t.Fatal(err)
		}
		if who := refused(t, path); who.PID != 0 {
			t.Errorf("it is said to be %+v", who)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
}

func TestALockThatIsNotAFileIsRefused(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, place := range map[string]func(name string) error{
		"a folder":        func(name string) error { return os.Mkdir(name, 0o700) },
		"a symbolic link": func(name string) error { return os.Symlink(other, name) },
	} {
		path := t.TempDir()
		if err := place(filepath.Join(path, "discoclaw.lock")); err != nil {
			t.Fatal(err)
		}
		_, err := datadir.Open(path)
		if err == nil || !strings.Contains(err.Error(), "but is "+what+"; move that away") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "precious" {
		t.Errorf("the other file is %q, %v", text, err)
	}
}

func TestADirectoryOnAFullDiskCanBeOpened(t *testing.T) {
	t.Parallel()
	disk, ok := smalldisk.New(t, 64<<10)
	if !ok {
		return
	}
	if err := os.WriteFile(filepath.Join(disk, "filler"), make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	d := open(t, disk)
	defer d.Close()
	if who := refused(t, disk); who.PID != 0 {
		t.Errorf("it is said to be %+v", who)
	}
}
