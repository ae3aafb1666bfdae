// Package evidence keeps what a long run has shown so far, so that it goes on where it stopped.
//
// A [Run] has steps. The output of a step is kept in a folder, and the step is not repeated until the sources change. The command in the
// folder cmd runs shell commands as steps, for the long targets of the Makefile.
package evidence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// SourceFile is the file in the folder of a run that says when it began and on which commit.
const SourceFile = "source.txt"

// A Run is one of the sources as they are.
type Run struct {
	Dir string // with what the steps have left
}

// Begin begins a run in a checkout, or continues the run of the same name if it was on the same commit, and prints which of them. A run of
// sources with uncommitted changes is never continued: git cannot say whether they have changed since.
func Begin(checkout, name string, now time.Time, out io.Writer) (*Run, error) {
	dir, err := filepath.Abs(filepath.Join(checkout, ".evidence", name)) // steps may run elsewhere
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir}
	tested, known := source(checkout)
	before, err := os.ReadFile(filepath.Join(r.Dir, SourceFile))
	if err == nil && known && strings.HasSuffix(string(before), ", "+tested+".\n") {
		done, err := filepath.Glob(filepath.Join(r.Dir, "*.done"))
		fmt.Fprintf(out, "%s: going on with the run %s; %d steps of it are done. To begin anew, remove %s.\n", name, tested, len(done), r.Dir)
		return r, err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	fmt.Fprintf(out, "%s: a new run, %s\n", name, tested)
	if err := errors.Join(os.RemoveAll(r.Dir), os.MkdirAll(r.Dir, 0o755)); err != nil {
		return nil, err
	}
	line := fmt.Sprintf("Run on %s, %s.\n", now.UTC().Format(time.DateOnly), tested)
	return r, os.WriteFile(filepath.Join(r.Dir, SourceFile), []byte(line), 0o644)
}

// Step returns what a step has shown, if it was done before, or does it. After an error it is done again the next time.
func (r *Run) Step(name string, do func() (string, error)) (string, error) {
	file := filepath.Join(r.Dir, strings.Map(plain, name)+".done")
	if text, err := os.ReadFile(file); !errors.Is(err, fs.ErrNotExist) {
		return string(text), err
	}
	text, err := do()
	if err != nil {
		return text, err
	}
	return text, os.WriteFile(file, []byte(text), 0o644)
}

// plain keeps the characters that names of files may have everywhere.
func plain(c rune) rune {
	if strings.ContainsRune(`/\:*?"<>|`, c) {
		return '-'
	}
	return c
}
