// Package skip skips tests where the race detector would find nothing: those whose work is
// done by another program. It is for tests only.
package skip

import "testing"

// UnderRace skips the test if the race detector is on. The reason names the program that does
// the work, or the test in which the race detector sees the same.
func UnderRace(t testing.TB, reason string) {
	t.Helper()
	if on {
		t.Skip("nothing for the race detector: " + reason)
	}
}
