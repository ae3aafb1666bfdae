package guild

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// A When is a time in ISO 8601, UTC unless it says otherwise. It is stored as RFC 3339.
type When string

// layouts are the common forms of ISO 8601.
var layouts = []string{
	time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly,
}

// UnmarshalText refuses other texts.
func (w *When) UnmarshalText(text []byte) error {
	t, err := parseTime(string(text))
	if err != nil {
		return err
	}
	*w = whenOf(t)
	return nil
}

func parseTime(text string) (time.Time, error) {
	s := strings.TrimSuffix(strings.TrimSpace(text), " UTC")
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time; write it as 2027-05-01T18:00:00Z", chat.Clip(text, 40))
}

func whenOf(t time.Time) When { return When(t.UTC().Format(time.RFC3339)) }

// Time is the parsed time; zero if there is none.
func (w When) Time() time.Time {
	t, err := time.Parse(time.RFC3339, string(w))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// discordEpoch is the start of the time in Discord's IDs, in Unix milliseconds.
const discordEpoch = 1420070400000

// A Bound is the start or end of a search: a message's ID. A time is turned into the ID of
// a message at that time.
type Bound string

// UnmarshalText refuses other texts, and times before Discord's epoch.
func (b *Bound) UnmarshalText(text []byte) error {
	var message chat.MessageRef
	if message.UnmarshalText(text) == nil && message != chat.Last {
		*b = Bound(message.ID())
		return nil
	}
	t, err := parseTime(string(text))
	if err != nil {
		return fmt.Errorf("%q is neither a message's ID nor a time such as 2027-05-01T18:00:00Z", chat.Clip(string(text), 40))
	}
	ms := t.UnixMilli() - discordEpoch
	if ms < 0 {
		return fmt.Errorf("%q is before 2015, when there was no Discord", chat.Clip(string(text), 40))
	}
	*b = Bound(strconv.FormatUint(uint64(ms)<<22, 10))
	return nil
}

// ID is the bound as a message's ID.
func (b Bound) ID() chat.MessageID { return chat.MessageID(b) }
