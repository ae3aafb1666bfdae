// Package smalldisk gives a test a disk of its own that is soon full. It is for tests only.
//
// The disk is a real one, for whatever writes files. A test that is about a database alone,
// or about the moment in which the disk becomes full, is served better by the package
// fulldisk.
package smalldisk

import "testing"

// inside is the variable that tells a test that it runs where it can have a disk.
const inside = "DISCOCLAW_TEST_SMALL_DISK"

// New runs the test once more, in a process that may mount a disk, and there returns the
// folder of an empty one with that many bytes. In the process where the test began it
// returns false when the other one is done; there is nothing more to do then. The test is
// skipped where there can be no such process.
func New(t *testing.T, bytes int) (folder string, ok bool) {
	t.Helper()
	return newDisk(t, bytes)
}
