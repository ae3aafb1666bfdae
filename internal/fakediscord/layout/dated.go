package layout

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Moment is a time as a layout writes it, seen from when the world is made: -13d 09:12 is 13 days ago at 9:12, -40m is 40 minutes
// ago, +3d 19:00 is in three days at seven in the evening.
type Moment string

var momentForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([-+])(\d{1,4})([dhm])(?: (\d\d:\d\d))?$`)
})

// Time is the moment, seen from now.
func (m Moment) Time(now time.Time) (time.Time, error) {
	found := momentForm().FindStringSubmatch(string(m))
	if found == nil {
		return time.Time{}, fmt.Errorf("%q is no time; write -13d 09:12, -3h, -40m or +2d 19:00", string(m))
	}
	n, _ := strconv.Atoi(found[1] + found[2]) // they are digits
	switch {
	case found[3] == "m":
		now = now.Add(time.Duration(n) * time.Minute)
	case found[3] == "h":
		now = now.Add(time.Duration(n) * time.Hour)
	case found[4] == "":
		now = now.AddDate(0, 0, n)
	default:
		at, err := time.Parse("15:04", found[4])
		if err != nil {
			return time.Time{}, fmt.Errorf("%q is no time of a day", found[4])
		}
		day := now.AddDate(0, 0, n)
		return time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), 0, 0, now.Location()), nil
	}
	if found[4] != "" {
		return time.Time{}, errors.New("only days have a time of the day: -2d 09:12")
	}
	return now, nil
}

// A Reaction is an emoji below a message, with the names of those who reacted.
type Reaction struct {
	Emoji string
	By    []string
}

// sayings are the forms of a dated line after its time and its person.
var sayings = sync.OnceValue(func() map[string]form {
	return map[string]form{
		"in":    {stageDated, regexp.MustCompile(`^(?:"(?<in>[^"]+)"|(?<in>[^\s:]+)): *(?<text>.+)$`), "write in #channel, a colon, and what is said"},
		"posts": {stageDated, regexp.MustCompile(`^"(?<name>[^"]+)" in (?<in>[^\s:]+)(?: \[(?<items>[^\]]*)\])?: *(?<text>.+)$`), `write posts "title" in forum, a colon, and the text`},
		"asks":  {stageDated, regexp.MustCompile(`^in (?<in>[^\s:]+): *(?<text>[^|]+?) *\| *(?<items>.+)$`), "write asks in #channel: question | answer (who, who) | answer"},
		"holds": {stageDated, regexp.MustCompile(`^"(?<name>[^"]+)" in (?<in>[^:]+?) for (?<for>\w+): *(?<text>.+)$`), `write holds "name" in a voice channel or place for 2h, a colon, and what it is`},
	}
})

// parseDated parses a line that begins with a time.
func (l *Line) parseDated() error {
	at, rest, _ := strings.Cut(l.written, " ")
	if clock, after, _ := strings.Cut(rest, " "); strings.Contains(clock, ":") {
		at, rest = at+" "+clock, after
	}
	l.At = Moment(at)
	if _, err := l.At.Time(time.Time{}); err != nil {
		return err
	}
	by, rest, _ := strings.Cut(rest, " ")
	verb, rest, _ := strings.Cut(rest, " ")
	f, known := sayings()[verb]
	if !known {
		return errors.New("behind the time and a name comes in, posts, asks or holds")
	}
	l.Word, l.By, l.stage = verb, by, f.stage
	if verb == "in" {
		l.Word = "says"
	}
	return l.fill(f, rest)
}

// below adds a line to the message above it: what is said of that. It reports false for any other line.
func (l *Line) below(above []Line) (bool, error) {
	word, rest, _ := strings.Cut(l.written, " ")
	if word != "pinned" && word != "reaction" {
		return false, nil
	}
	if len(above) == 0 || above[len(above)-1].At == "" {
		return true, fmt.Errorf("%s belongs below a message with its time", word)
	}
	m := &above[len(above)-1]
	if word == "pinned" {
		m.Pinned = true
		return true, nil
	}
	emoji, who, found := strings.Cut(rest, ":")
	if !found {
		return true, errors.New("write reaction, the emoji, a colon, and who reacted")
	}
	m.Reactions = append(m.Reactions, Reaction{strings.TrimSpace(emoji), items(who, false)})
	return true, nil
}
