// Package smalldisk gives a test a disk of its own that is soon full. It is for tests only.
//
// The disk is real, for everything that writes files. A test of a database alone, or of the
// moment in which the disk becomes full, is better off with the package fulldisk.
package smalldisk

import "testing"

// inside is set in a process that can mount a disk.
const inside = "DISCOCLAW_TEST_SMALL_DISK"

// New runs the test once more, in a process that can mount a disk, and there returns the
// folder of an empty one with that many bytes. In the first process it returns false when the
// other one is done, and the test has to return. It skips the test where there can be no such
// process.
func New(t *testing.T, bytes int) (folder string, ok bool) {
	t.Helper()
	return newDisk(t, bytes)
}
