// Package golden compares the output of a test with a file that is reviewed. It is for tests
// only.
package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update reports whether golden files are to be written instead of compared. It is a
// variable rather than a flag, so that one command can update all packages: go
// test refuses a flag that some of them do not know.
func Update() bool { return os.Getenv("UPDATE_GOLDEN") == "1" }

// Equal fails the test if the file does not hold got.
func Equal(t testing.TB, file, got string) {
	t.Helper()
	if Update() {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nrun make golden to write it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-file +now); if that is right, run make golden and review the change:\n%s", file, diff)
	}
}
