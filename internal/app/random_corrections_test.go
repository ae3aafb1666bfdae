package app

import (
	"testing"

	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/skip"
)

// TestBadDaysWithCorrectionsLoseAndDoubleNothing: in addition, people correct what they have said, at any moment of the answer to it, and the
// disk is full at times.
func TestBadDaysWithCorrectionsLoseAndDoubleNothing(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the scenes, many times")
	t.Parallel()
	haveDays(t, seedsOf(t, []uint64{0, 1, 4002222847}, chaos.Runs(4, 200)), func(d *badDay) {
		d.hasty, d.env["DISCOCLAW_STEER"] = true, "on"
		d.diskFull = d.r.IntN(2) == 0
	})
}
