package app

import (
	"testing"

	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/disk/fulldisk"
	"discoclaw/internal/test/skip"
)

// knownWetDays are seeds like knownBadDays, for days on which the disk is full at times. The
// comments say what each found.
var knownWetDays = []uint64{
	0, 1,
	20193,                      // two reports about one saying, which was answered again, were compared with what was done for one
	20002, 20267, 20283, 20424, // a message was taken as answered with a later one
	20263, 20312, 600211, // a placeholder was never finished
	20366,      // a deferred run was answered twice
	20414,      // the second part of an answer was said again by the next process
	20523,      // a placeholder was never finished, and a command answered twice
	1925738752, // an action that had begun before a restart was reported as failed, though it was done
	910118,     // a report that Discord did not say whether a channel was made was counted as wrong
}

// TestBadDaysOnAFullDiskLoseAndDoubleNothing: in addition, nothing can be written at times. Every
// accepted event is finished once; what could not be accepted is answered later.
func TestBadDaysOnAFullDiskLoseAndDoubleNothing(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the scenes, many times")
	t.Parallel()
	seeds := seedsOf(t, knownWetDays, chaos.Runs(4, 200))
	sum := haveDays(t, seeds, func(d *badDay) { d.diskFull = true })
	chaos.Publish(t, chaos.DiskFullRuns, sum.table(seeds))
}

// rain toggles between a full disk and one with room, at once or after some of the next writes. A
// full disk may leave the bot's reserve, or nothing.
func (d *badDay) rain() {
	state := fulldisk.Roomy
	if d.disk.State() == fulldisk.Roomy {
		state = []fulldisk.State{fulldisk.Full, fulldisk.Spent, fulldisk.Spent, fulldisk.Broken}[d.r.IntN(4)]
	}
	writes := d.r.IntN(2) * d.r.IntN(80)
	d.note("the disk will be %v in %d writes", state, writes)
	d.disk.Become(state, writes)
}

// slip makes one of the next writes fail.
func (d *badDay) slip() {
	writes := d.r.IntN(40)
	d.note("the disk stumbles in %d writes", writes)
	d.disk.Stumble(writes)
}
