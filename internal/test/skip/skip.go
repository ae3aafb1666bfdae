// Package skip leaves tests out of the run with the race detector where that would find nothing: those whose work is
// done by another program, or that repeat the work of others many times. It is for tests only.
package skip

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// leftVariable names a file to which each test that is left out is added, with the folder of its package, so that
// `make once` runs it without the race detector.
const leftVariable = "DISCOCLAW_LEFT"

// UnderRace skips the test if the race detector is on. The reason names the program that does
// the work, or the test in which the race detector sees the same.
func UnderRace(t testing.TB, reason string) {
	t.Helper()
	if !on {
		return
	}
	if file := os.Getenv(leftVariable); file != "" {
		if err := note(file, t.Name()); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("nothing for the race detector: " + reason)
}

// note adds a test to a file.
func note(file, name string) error {
	dir, err := os.Getwd() // tests run in the folder of their package
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	root, _, _ := strings.Cut(name, "/")
	if _, err := fmt.Fprintf(f, "%s %s\n", dir, root); err != nil {
		return err
	}
	return f.Close()
}
