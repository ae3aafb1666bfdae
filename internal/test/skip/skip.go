// Package skip leaves out tests where the race detector would find nothing: those
// whose work is done by another program. It is for tests only.
package skip

import "testing"

// UnderRace skips the test if the race detector is on. The reason says who does the work, or
// which test has the race detector see the same.
func UnderRace(t testing.TB, reason string) {
	t.Helper()
	if on {
		t.Skip("nothing for the race detector: " + reason)
	}
}
