package atomicfile_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/disk/atomicfile"
)

// The variables that make the test binary a process that writes a file again and again
// until it is killed, or kills itself in the middle of writing.
const (
	writing = "DISCOCLAW_ATOMICFILE_TEST_WRITING"
	suicide = "DISCOCLAW_ATOMICFILE_TEST_SUICIDE"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(writing); path != "" {
		keepWriting(path)
	}
	if path := os.Getenv(suicide); path != "" {
		dieWriting(path)
	}
	os.Exit(m.Run())
}

// keepWriting prints each number after its page was written. It ends only on an error.
func keepWriting(path string) {
	for n := 1; ; n++ {
		if err := put(path, page(n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

func dieWriting(path string) {
	err := atomicfile.WritePath(path, atomicfile.Kept, func(w io.Writer) error {
		if _, err := io.WriteString(w, page(2)[:100_000]); err != nil { // more than is buffered
			return err
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err == nil {
			select {}
		}
		return err
	})
	fmt.Fprintln(os.Stderr, "still alive:", err)
	os.Exit(1)
}

// page is a text whose parts differ from the whole.
func page(n int) string { return strings.Repeat(fmt.Sprintf("%d,", n), 200_000) + "end" }

// read returns the number of the page in a file, which must be whole.
func read(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscanf(string(text), "%d,", &n); err != nil || string(text) != page(n) {
		t.Fatalf("half a file: %d bytes, %.20q …, %v", len(text), text, err)
	}
	return n
}

// drafts counts the drafts beside a file.
func drafts(t *testing.T, path string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries) - 1
}

func TestAProcessKilledInTheMiddleLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	path := made(t, page(1))
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), suicide+"="+path)
	child.Stderr = os.Stderr
	_ = child.Run() // its error is that it was killed
	if n := read(t, path); n != 1 || drafts(t, path) != 1 {
		t.Errorf("page %d is there, and %d drafts", n, drafts(t, path))
	}
	if err := put(path, page(3)); err != nil {
		t.Fatal(err)
	}
	holds(t, path, page(3))
}

// TestAFileIsWholeWheneverItsWriterIsKilled kills a process at many points of its work, and
// reads meanwhile.
func TestAFileIsWholeWheneverItsWriterIsKilled(t *testing.T) {
	t.Parallel()
	path := made(t, page(1))
	for round := range 20 {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), writing+"="+path)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		said, lines := 0, bufio.NewScanner(out)
		for lines.Scan() {
			said++
			read(t, path)
			if said == 2 {
				// This waits for nothing: it kills at another point every time.
				time.Sleep(time.Duration(round) * 200 * time.Microsecond)
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = child.Wait() // says that it was killed
		if n := read(t, path); said < 2 || n != said && n != said+1 {
			t.Errorf("%d pages were said to be written, page %d is there", said, n)
		}
		if n := drafts(t, path); n > 1 {
			t.Errorf("%d drafts are left of %d processes, want them removed", n, round+1)
		}
	}
}
