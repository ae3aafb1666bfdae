package schedule

import (
	"math/bits"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// A Cadence says roughly how often a job fires. It is a tag of the job's thread.
type Cadence string

const (
	Frequent Cadence = "frequent"
	Hourly   Cadence = "hourly"
	Daily    Cadence = "daily"
	Weekly   Cadence = "weekly"
	Monthly  Cadence = "monthly"
	Yearly   Cadence = "yearly"
	Single   Cadence = "once"
)

// Cadence counts how often the schedule fires on a day on which it does: more than once an hour is frequent, and from
// every six hours on is hourly. Less often, its days decide. The zero Schedule is daily.
func (s Schedule) Cadence() Cadence {
	times := int64(bits.OnesCount64(s.minute) * bits.OnesCount64(s.hour))
	if s.delay > 0 {
		times = daySeconds / s.delay
	}
	switch {
	case s.text == "":
		return Daily
	case s.Once():
		return Single
	case bits.OnesCount64(s.month) == 1:
		return Yearly
	case times > 24:
		return Frequent
	case times >= 4:
		return Hourly
	case s.delay >= 28*daySeconds:
		return Monthly
	case s.delay >= 7*daySeconds:
		return Weekly
	case s.delay > 0:
		return Daily
	case slices.Contains(s.weekday[:], everyWeek) && !s.everyWeekday():
		return Weekly
	case !s.everyWeekday() || !s.everyDate():
		return Monthly
	}
	return Daily
}

// prefixes are the emoji at the beginning of the names of threads. Yearly and Single have none.
var prefixes = map[Cadence]string{Frequent: "⏱\uFE0F", Hourly: "🕐", Daily: "🌅", Weekly: "📅", Monthly: "📆"}

// maxName is Discord's limit for the name of a thread, in UTF-16 units.
const maxName = 100

// ThreadName is the name of a job's thread: the emoji of its cadence and its name.
func ThreadName(c Cadence, name string) string {
	return chat.Shorten(strings.TrimSpace(prefixes[c]+" "+JobName(name)), maxName)
}

// JobName is the name of a job by that of its thread, without emoji for a cadence. Discord adds and drops the variation
// selector of emoji, so it is not compared.
func JobName(thread string) string {
	name := strings.TrimSpace(thread)
	for {
		first, rest, _ := strings.Cut(name, " ")
		if !isPrefix(first) {
			return name
		}
		name = strings.TrimSpace(rest)
	}
}

func isPrefix(word string) bool {
	for _, prefix := range prefixes {
		if strings.TrimRight(word, "\uFE0F") == strings.TrimRight(prefix, "\uFE0F") {
			return true
		}
	}
	return false
}
