package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/test/disk/smalldisk"
)

// put writes a file and keeps its mode.
func put(path, text string) error {
	return atomicfile.WritePath(path, atomicfile.Kept, atomicfile.Text(text))
}

// holds checks the text of a file, and that it is alone in its folder.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %.60q (%d bytes), %v; want %.60q", path, got, len(got), err, want)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// made creates a file with a text in a folder of its own.
func made(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func mode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if info, err := os.Lstat(path); runtime.GOOS != "windows" && (err != nil || info.Mode() != want) {
		t.Errorf("%s is %v, %v; want %v", path, info.Mode(), err, want)
	}
}

func TestAFileIsMadeOrReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"new", "", strings.Repeat("long ", 100_000), "short"} {
		if err := put(path, text); err != nil {
			t.Fatal(err)
		}
		holds(t, path, text)
		mode(t, path, 0o600)
	}
}

func TestTheModeIsKeptUnlessOneIsGiven(t *testing.T) {
	t.Parallel()
	path := made(t, "old")
	if err := os.Chmod(path, 0o666); err != nil { // more than a umask would leave
		t.Fatal(err)
	}
	if err := put(path, "new"); err != nil {
		t.Fatal(err)
	}
	mode(t, path, 0o666)
	if err := atomicfile.WritePath(path, 0o600, atomicfile.Text("new")); err != nil {
		t.Fatal(err)
	}
	mode(t, path, 0o600)
}

func TestWritePathFollowsLinks(t *testing.T) {
	t.Parallel()
	path := made(t, "old")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if err := put(link, "new"); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new")
	mode(t, path, 0o640)
	dangling := filepath.Join(t.TempDir(), "dangling")
	if err := os.Symlink(filepath.Join(t.TempDir(), "nothing"), dangling); err != nil {
		t.Fatal(err)
	}
	if err := put(dangling, "new"); err == nil || !strings.Contains(err.Error(), "follow the link") {
		t.Errorf("a dangling link: %v", err)
	}
}

func TestWriteStaysInItsFolder(t *testing.T) {
	t.Parallel()
	path := made(t, "old")
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.Symlink(filepath.Dir(path), filepath.Join(folder, "out")); err != nil {
		t.Skip(err)
	}
	if err := atomicfile.Write(root, "out/file", 0o600, atomicfile.Text("new")); err == nil {
		t.Error("a link led out of the folder")
	}
	holds(t, path, "old")
	if err := os.Symlink(path, filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(root, "link", 0o600, atomicfile.Text("new")); err != nil {
		t.Errorf("a link in the place of a file: %v", err)
	}
	holds(t, path, "old")
	mode(t, filepath.Join(folder, "link"), 0o600)
}

func TestAnErrorHalfWayChangesNothing(t *testing.T) {
	t.Parallel()
	path := made(t, "old")
	halfWay := errors.New("half way")
	for name, fill := range map[string]func(io.Writer) error{
		"at once":         func(io.Writer) error { return halfWay },
		"after a few":     func(w io.Writer) error { fmt.Fprint(w, "ne"); return halfWay },
		"after very many": func(w io.Writer) error { fmt.Fprint(w, strings.Repeat("new", 1<<20)); return halfWay },
	} {
		if err := atomicfile.WritePath(path, atomicfile.Kept, fill); !errors.Is(err, halfWay) {
			t.Errorf("%s: %v", name, err)
		}
		holds(t, path, "old")
	}
	func() {
		defer func() { _ = recover() }()
		_ = atomicfile.WritePath(path, atomicfile.Kept, func(io.Writer) error { panic(halfWay) })
	}()
	holds(t, path, "old")
}

func TestOnlyAFileIsReplaced(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(folder, "folder"):     "not a file",
		os.DevNull:                          "not a file",
		filepath.Join(folder, "no", "file"): "no such file",
	} {
		if err := put(path, "new"); err == nil || runtime.GOOS != "windows" && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

func TestDraftsOfAKilledProcessAreRemoved(t *testing.T) {
	t.Parallel()
	path := made(t, "old")
	folder := filepath.Dir(path)
	for _, name := range []string{".file.new-0123abcd", ".file.new-99999999", ".file.new-mine", "file.new", ".other.new-0123abcd"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := put(path, "new"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if len(entries) != 4 || entries[0].Name() != ".file.new-mine" || entries[1].Name() != ".other.new-0123abcd" || entries[3].Name() != "file.new" {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// TestConcurrentWritesDoNotMix: a write that is overtaken may fail, but the file is always the
// whole of one write.
func TestConcurrentWritesDoNotMix(t *testing.T) {
	t.Parallel()
	path := made(t, page(0))
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for range 25 {
				if err := put(path, page(n)); err != nil && !strings.Contains(err.Error(), "another process") {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		read(t, path)
		select {
		case <-done:
			return
		default:
		}
	}
}

func TestAFullDiskChangesNothing(t *testing.T) {
	t.Parallel()
	folder, ok := smalldisk.New(t, 256<<10)
	if !ok {
		return
	}
	path := filepath.Join(folder, "file")
	for n := range 3 {
		old := strings.Repeat(fmt.Sprint(n), 100<<10) // so that two of them have room
		if err := put(path, old); err != nil {
			t.Fatal(err)
		}
		if err := put(path, strings.Repeat("x", 200<<10)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("writing more than there is room for: %v", err)
		}
		holds(t, path, old)
	}
}
