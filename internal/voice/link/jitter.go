package link

import (
	"slices"
	"time"
)

const (
	patience = 60 * time.Millisecond // how long a frame that comes early waits for those before it
	backlog  = 64                    // frames that may wait
	behind   = 100                   // a frame that is further behind does not come late: the speaker counts anew
	beyond   = 3000                  // and one that is further ahead, as many do not get lost
)

// A jitter puts the frames of a speaker in order. A frame that follows the last one passes at once; others wait.
type jitter struct {
	next    uint16
	begun   bool     // next is known
	waiting []waiter // by sequence
}

type waiter struct {
	Frame
	since time.Time
}

// put takes a frame that has come. It returns false if it came too late, or twice.
func (j *jitter) put(f Frame, now time.Time) bool {
	if j.begun {
		switch ahead := j.ahead(f); {
		case ahead < -behind || ahead > beyond:
			j.begun, j.waiting = false, nil
		case ahead < 0:
			return false
		}
	}
	at, twice := slices.BinarySearchFunc(j.waiting, f, func(w waiter, f Frame) int { return int(int16(w.Sequence - f.Sequence)) })
	if twice {
		return false
	}
	j.waiting = slices.Insert(j.waiting, at, waiter{f, now})
	return true
}

// ahead is how many frames are missing before a frame.
func (j *jitter) ahead(f Frame) int { return int(int16(f.Sequence - j.next)) }

// due is when the first frame that waits has waited long enough.
func (j *jitter) due() (at time.Time, some bool) {
	for i, w := range j.waiting {
		if i == 0 || w.since.Before(at) {
			at = w.since
		}
	}
	return at.Add(patience), len(j.waiting) > 0
}

// take returns the next frame that may pass, and how many before it are lost. One without Opus stands for the first of those.
func (j *jitter) take(now time.Time) (f Frame, lost int, ok bool) {
	due, some := j.due()
	if !some {
		return Frame{}, 0, false
	}
	first := j.waiting[0].Frame
	follows := j.begun && first.Sequence == j.next
	if !follows && now.Before(due) && len(j.waiting) < backlog {
		return Frame{}, 0, false
	}
	if j.begun && !follows {
		lost = j.ahead(first)
		missing := Frame{User: first.User, SSRC: first.SSRC, Sequence: j.next, Timestamp: first.Timestamp - uint32(lost)*frameTime}
		j.next = first.Sequence
		return missing, lost, true
	}
	j.begun, j.next = true, first.Sequence+1
	j.waiting = slices.Delete(j.waiting, 0, 1)
	return first, 0, true
}
