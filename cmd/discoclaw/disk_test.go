package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/test/chaos"
)

// A disk is a small one for a single test: in memory, in a mount namespace that only the
// processes run on it see.
type disk struct {
	dir     string // its path inside the namespace
	outside string // its path outside
	holder  *exec.Cmd
	nsenter string
	folder  string // has a link to the program with the name discoclaw
}

// newDisk makes a disk of some megabytes. Where that is not possible, it skips the test.
func newDisk(t *testing.T, megabytes int) *disk {
	t.Helper()
	d := &disk{dir: t.TempDir(), folder: t.TempDir()}
	if err := d.mount(t, megabytes); err != nil {
		if chaos.Full() || os.Getenv("DISCOCLAW_REQUIRE_DISK") != "" {
			t.Fatalf("cannot mount a small disk: %v", err)
		}
		t.Skipf("cannot mount a small disk: %v", err)
	}
	return d
}

// mount starts a process that holds the namespace while others come and go.
func (d *disk) mount(t *testing.T, megabytes int) (err error) {
	if d.nsenter, err = exec.LookPath("nsenter"); err != nil {
		return err
	}
	d.holder = exec.Command("unshare", "--user", "--map-root-user", "--mount",
		"sh", "-c", `mount -t tmpfs -o size="$1",mode=700 tmpfs "$0" && echo mounted && exec cat`, d.dir, fmt.Sprintf("%dm", megabytes))
	var errs strings.Builder
	d.holder.Stderr = &errs
	in, err := d.holder.StdinPipe()
	if err != nil {
		return err
	}
	out, err := d.holder.StdoutPipe()
	if err != nil {
		return err
	}
	if err := d.holder.Start(); err != nil {
		return err
	}
	t.Cleanup(func() {
		_ = in.Close()      // which ends it
		_ = d.holder.Wait() // its exit code does not matter
	})
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		_ = d.holder.Process.Kill()
		_ = d.holder.Wait() // so that all of stderr is there
		return errors.New(strings.TrimSpace(errs.String()))
	}
	d.outside = fmt.Sprintf("/proc/%d/root%s", d.holder.Process.Pid, d.dir)
	_, err = os.Stat(d.outside)
	return err
}

// command runs a program on the disk, under the name that the test binary dispatches on.
func (d *disk) command(program string, args ...string) *exec.Cmd {
	link := filepath.Join(d.folder, "discoclaw")
	_ = os.Symlink(program, link) // exists already the second time
	return exec.Command(d.nsenter, append([]string{"--preserve-credentials", "--user", "--mount", "--target", fmt.Sprint(d.holder.Process.Pid),
		"sh", "-c", `cd "$0" && exec "$@"`, d.dir, link}, args...)...)
}

// ballast is the file that fills a disk.
const ballast = "ballast"

// fill fills the disk of a folder to the last byte.
func fill(folder string) (err error) {
	f, err := os.OpenFile(filepath.Join(folder, ballast), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, size := range []int{1 << 16, 1 << 12, 1} {
		for err == nil {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		err = nil
	}
	return nil
}

func (d *disk) fill(t testing.TB) {
	t.Helper()
	if err := fill(d.outside); err != nil {
		t.Error(err)
	}
}

// leave fills the disk except for some bytes.
func (d *disk) leave(t testing.TB, room int64) {
	t.Helper()
	d.fill(t)
	path := filepath.Join(d.outside, ballast)
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-room)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// files are those on the disk, with their sizes, except for the ballast, empty files,
// files that SQLite recreates, and the lock, whose size follows the process ID.
func (d *disk) files(t testing.TB) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	err := filepath.WalkDir(d.outside, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == ballast || e.Name() == datadir.LockFile {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Size() > 0 && !strings.HasSuffix(path, "-shm") {
			found[strings.TrimPrefix(path, d.outside)] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// hasRoom reports whether the ballast is absent.
func (d *disk) hasRoom() bool {
	_, err := os.Stat(filepath.Join(d.outside, ballast))
	return errors.Is(err, fs.ErrNotExist)
}

// awaitCopy waits until a process that has just started has copied its database. If the
// disk became full meanwhile, the copy would be given up, and its space would be free.
func (d *disk) awaitCopy(t testing.TB, began time.Time) {
	t.Helper()
	late := time.After(long)
	for {
		info, err := os.Stat(filepath.Join(d.outside, "discoclaw-copy.db"))
		if err == nil && info.ModTime().After(began) {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond): // there is no event to wait for
		case <-late:
			t.Fatalf("there is no copy of the database: %v", err)
		}
	}
}

// clear makes room again.
func (d *disk) clear(t testing.TB) {
	t.Helper()
	if err := os.Remove(filepath.Join(d.outside, ballast)); err != nil {
		t.Error(err)
	}
}
