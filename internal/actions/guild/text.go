package guild

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// named is a role in a sentence.
func named(r chat.Role) string { return `"` + chat.Name(r.Name) + `"` }

// A Right is a permission that a role can have, by any of its names.
type Right chat.Permission

// UnmarshalText finds the permission.
func (r *Right) UnmarshalText(text []byte) error {
	p, err := chat.RolePermission(string(text))
	*r = Right(p)
	return err
}

func permissions(rights []Right) []chat.Permission { return chat.As[chat.Permission](rights) }

// A Cursor is the ID after which a list goes on.
type Cursor string

// UnmarshalText accepts mentions too, and refuses what is no ID.
func (c *Cursor) UnmarshalText(text []byte) error {
	s := strings.TrimRight(strings.TrimLeft(strings.TrimSpace(string(text)), "<@!&"), ">")
	if !chat.IsID(s) {
		return fmt.Errorf("%q is not an ID (15 to 20 digits); give the one that the page before ends with", chat.Clip(s, 40))
	}
	*c = Cursor(s)
	return nil
}

// maxListing is how many characters of a list are shown. Much longer results are cut for the prompt.
const maxListing = 4000

// A listing is a page of a list. Its first line says how to go on, so that it is not cut off.
type listing struct {
	title      string
	total      int    // on all pages; 0 if that is unknown
	more       bool   // there are further pages
	after      Cursor // of the page before
	field      string // that takes the cursor
	note       string // on what is missing; may be empty
	end        string // cursor at the end of the page; the last ID if it is empty
	lines, ids []string
}

func (l *listing) add(line, id string) { l.lines, l.ids = append(l.lines, line), append(l.ids, id) }

func (l *listing) String() string {
	shown := l.fits()
	more := l.more || shown < len(l.lines)
	facts := []string{fmt.Sprint(shown)}
	switch {
	case shown == 0 && more:
		facts[0] = "no more here"
	case shown == 0 && l.after != "":
		facts[0] = "no more"
	case shown == 0:
		facts[0] = "none"
	case l.total > shown:
		facts[0] += fmt.Sprintf(" of %d shown", l.total)
	case more:
		facts[0] += " shown"
	}
	if more {
		facts = append(facts, fmt.Sprintf(`go on with "%s": "%s"`, l.field, l.cursor(shown)))
	}
	if l.note != "" {
		facts = append(facts, l.note)
	}
	head := fmt.Sprintf("%s (%s)", l.title, strings.Join(facts, "; "))
	if shown == 0 {
		return head
	}
	return head + ":\n" + strings.Join(l.lines[:shown], "\n")
}

// fits returns how many lines fit, at least one.
func (l *listing) fits() int {
	length := 0
	for i, line := range l.lines {
		if length += len(line) + 1; length > maxListing && i > 0 {
			return i
		}
	}
	return len(l.lines)
}

func (l *listing) cursor(shown int) string {
	if shown == len(l.lines) && l.end != "" {
		return l.end
	}
	return l.ids[shown-1]
}

// noColor is the absence of a colour.
const noColor Color = "none"

// A Color is written #RRGGBB, or none.
type Color string

// UnmarshalText accepts it without the # too.
func (c *Color) UnmarshalText(text []byte) error {
	s := strings.ToLower(strings.TrimSpace(string(text)))
	if s == string(noColor) {
		*c = noColor
		return nil
	}
	digits := strings.TrimPrefix(s, "#")
	n, err := strconv.ParseUint(digits, 16, 24)
	if err != nil || len(digits) != 6 {
		return fmt.Errorf("%q is not a colour; write #RRGGBB, such as #3498db, or none", chat.Clip(string(text), 40))
	}
	*c = colorOf(int(n))
	return nil
}

func colorOf(n int) Color {
	if n == 0 {
		return noColor
	}
	return Color(fmt.Sprintf("#%06x", n))
}

// number is the colour as Discord's number.
func (c Color) number() int {
	n, err := strconv.ParseUint(strings.TrimPrefix(string(c), "#"), 16, 24)
	if err != nil {
		return 0 // none
	}
	return int(n)
}

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
