package schedule

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A single is the time of a schedule that fires once, as a clock on the wall shows it: that of the job's time zone, or one that is a fixed
// offset ahead of UTC.
type single struct {
	set     bool
	reading int64
	fixed   bool
	ahead   int64 // seconds
}

const (
	onceLayout      = "2006-01-02 15:04"
	onceExample     = "2027-05-01 18:00"
	offsetLayout    = "Z07:00"
	onceWordsLayout = "Monday 2 January 2006 at 15:04"
)

// onceText finds a date, and the time and offset after it.
var onceText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:once\b[ :,]*)?(?:(?:on|at) +)?(\d{4}-\d\d?-\d\d?)(?:(?:t|[ ,]+(?:at +)?)(.*))?$`)
})

// parseOnce reads a date and a time. It returns false for a text that does not begin with a date.
func parseOnce(text string) (s Schedule, ok bool, err error) {
	found := onceText().FindStringSubmatch(text)
	if found == nil {
		return Schedule{}, false, nil
	}
	date, clock := found[1], strings.ReplaceAll(strings.ToUpper(found[2]), " ", "")
	if clock == "" {
		return Schedule{}, true, fmt.Errorf("%s does not say at what time; add it, such as in %q", clipped(text), onceExample)
	}
	for _, layout := range []string{"2006-1-2 15:04", "2006-1-2 15:04:05"} {
		if at, err := time.Parse(layout, date+" "+clock); err == nil && at.Second() == 0 {
			return onceAt(single{set: true, reading: at.Unix()}), true, nil
		}
		if at, err := time.Parse(layout+offsetLayout, date+" "+clock); err == nil && at.Second() == 0 {
			_, ahead := at.Zone()
			return onceAt(single{set: true, reading: at.Unix() + int64(ahead), fixed: true, ahead: int64(ahead)}), true, nil
		}
	}
	return Schedule{}, true, fmt.Errorf("%s is not a date and a time that exist; write them like %q, in the time zone of the job, or with an offset, like %q", clipped(text), onceExample, onceExample+"+02:00")
}

func onceAt(at single) Schedule {
	s := Schedule{once: at}
	s.text = s.clockFace().Format(onceLayout) + s.offset()
	return s
}

// clockFace is the time that the clock on the wall shows, as if that hung in Greenwich.
func (s Schedule) clockFace() time.Time { return time.Unix(s.once.reading, 0).UTC() }

// offset is the fixed offset of a schedule that fires once, or empty.
func (s Schedule) offset() string {
	if !s.once.fixed {
		return ""
	}
	return s.clockFace().In(time.FixedZone("", int(s.once.ahead))).Format(offsetLayout)
}

// Once reports whether the schedule fires once, at a date and time.
func (s Schedule) Once() bool { return s.once.set }

// In returns the schedule as the clocks of a time zone show it. A fixed offset stays only where a time occurs twice, and the second one is
// meant.
func (s Schedule) In(zone *time.Location) Schedule {
	if !s.once.fixed {
		return s
	}
	at := s.moment(zone)
	_, ahead := at.Zone()
	if local := onceAt(single{set: true, reading: at.Unix() + int64(ahead)}); local.moment(zone).Equal(at) {
		return local
	}
	return s
}

// moment is when a schedule fires that does so once.
func (s Schedule) moment(in *time.Location) time.Time {
	if s.once.fixed {
		return time.Unix(s.once.reading-s.once.ahead, 0).In(in)
	}
	return firstMoment(s.once.reading, in)
}

func (s Schedule) onceWords() string {
	return strings.TrimSpace("once, on " + s.clockFace().Format(onceWordsLayout) + " " + s.offset())
}
