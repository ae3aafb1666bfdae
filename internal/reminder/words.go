package reminder

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

var amount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,9})\s*([a-z]+)[\s,]*`) })

// units are the lengths of time that people write, in the singular.
var units = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour,
	"d": day, "day": day, "w": 7 * day, "week": 7 * day, "y": 365 * day, "year": 365 * day,
}

const day = 24 * time.Hour

// ParseDelay reads how long it is until then: 90s, 20m, 1h30m, 3d, 2 weeks. What is further ahead than any
// reminder may be is cut down.
func ParseDelay(text string) (time.Duration, error) {
	var total time.Duration
	rest := strings.ToLower(strings.TrimSpace(text))
	for rest != "" {
		found := amount().FindStringSubmatch(rest)
		if found == nil {
			return 0, notADelay(text)
		}
		unit, known := units[found[2]]
		if !known {
			unit, known = units[strings.TrimSuffix(found[2], "s")]
		}
		n, err := strconv.Atoi(found[1])
		if err != nil || !known {
			return 0, notADelay(text)
		}
		total = min(total+min(time.Duration(n), 2*MaxAhead/unit)*unit, 2*MaxAhead)
		rest = rest[len(found[0]):]
	}
	if total == 0 {
		return 0, notADelay(text)
	}
	return total, nil
}

func notADelay(text string) error {
	return fmt.Errorf("%q is not a length of time such as 90s, 20m, 2h or 3d", chat.Clip(chat.OneLine(text), 40))
}

// Promise tells who asked in a channel for a reminder that there is one.
func Promise(r Reminder, in chat.ChannelID) string {
	whom, where := "you", ""
	if r.Recipient != r.Requester {
		whom = "<@" + string(r.Recipient) + ">"
	}
	if r.Channel != in {
		where = " in <#" + string(r.Channel) + ">"
	}
	return fmt.Sprintf("I'll remind %s%s on %s", whom, where, chat.Clock(r.Due))
}

// Listed tells readers in a place which of somebody's reminders wait: on a server, those of that server. Whose
// says whose they are, unless who reads it asked. Open reports whether all readers there may read a channel.
func Listed(list []Reminder, at chat.Place, whose chat.UserID, open func(chat.ChannelID) bool) string {
	var lines []string
	for _, r := range list {
		if at.Guild == "" || r.Guild == at.Guild {
			lines = append(lines, describe(r, at, open))
		}
	}
	of := ""
	if whose != "" {
		of = " of <@" + string(whose) + ">"
	}
	switch len(lines) {
	case 0:
		return "no reminders" + of + " are waiting"
	case 1:
		return "1 reminder" + of + " is waiting:\n" + lines[0]
	}
	return fmt.Sprintf("%d reminders%s are waiting:\n%s", len(lines), of, strings.Join(lines, "\n"))
}

// describe returns a line about a reminder. Its text is left out where people read along who could read neither where
// it was asked for nor where it will be posted.
func describe(r Reminder, at chat.Place, open func(chat.ChannelID) bool) string {
	line := fmt.Sprintf("%d: <t:%d:f>", r.ID, r.Due.Unix())
	if r.Recipient != r.Requester {
		line += " for <@" + string(r.Recipient) + ">"
	}
	if r.Channel != at.Channel {
		line += " in <#" + string(r.Channel) + ">"
	}
	if at.Guild != "" && r.Channel != at.Channel && r.AskedIn != at.Channel && !open(r.Channel) && !open(r.AskedIn) {
		return line
	}
	return line + ": " + chat.Clip(chat.OneLine(r.Text), maxShown)
}

// Cancelled tells that a reminder was cancelled.
func Cancelled(r Reminder) string {
	return fmt.Sprintf("cancelled the reminder for <t:%d:f>", r.Due.Unix())
}

// NotYours tells that no such reminder can be cancelled. What is somebody else's is nobody's business.
func NotYours(id int64) string { return fmt.Sprintf("you have no reminder %d that is waiting", id) }
