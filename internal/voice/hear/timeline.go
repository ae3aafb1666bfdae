package hear

import (
	"slices"
	"time"
)

const (
	jitter   = 60 * time.Millisecond // by which frames may come early or late
	maxMarks = 256
)

// A timeline knows when sound came that a recogniser only knows by where it is in all that was passed on.
type timeline []mark

// A mark is where sound begins that came in one go.
type mark struct {
	from time.Duration
	at   time.Time
}

// add takes that the sound from a place on came at a time.
func (l *timeline) add(from time.Duration, at time.Time) {
	if n := len(*l); n > 0 {
		if late := at.Sub((*l)[n-1].when(from)); late.Abs() <= jitter {
			return
		}
	}
	if len(*l) == maxMarks {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, mark{from, at})
}

func (m mark) when(place time.Duration) time.Time { return m.at.Add(place - m.from) }

// when is when the sound at a place came.
func (l timeline) when(place time.Duration) time.Time {
	if len(l) == 0 {
		return time.Now()
	}
	return l[l.last(place)].when(place)
}

// last is the mark of a place.
func (l timeline) last(place time.Duration) int {
	n := len(l) - 1
	for n > 0 && l[n].from > place {
		n--
	}
	return n
}

// forget forgets what came before a place.
func (l *timeline) forget(place time.Duration) {
	if len(*l) > 0 {
		*l = slices.Delete(*l, 0, l.last(place))
	}
}
