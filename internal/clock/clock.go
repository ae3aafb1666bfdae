// Package clock knows by which clock somebody means a time: [Zones] keeps the time zones of people, and [Parse] reads the times
// that they and models write.
package clock

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A ZoneOf returns the time zone of a person; of nobody, the bot's own.
type ZoneOf func(ctx context.Context, who chat.UserID) *time.Location

// Now is the time on the clock of a person.
func (z ZoneOf) Now(ctx context.Context, who chat.UserID) time.Time {
	return time.Now().In(z(ctx, who))
}

// Zones keeps the time zones that people have set. It is safe for concurrent use, as soon as its database is open.
type Zones struct {
	db    *store.DB
	usual *time.Location
	log   *slog.Logger
}

// New returns the zones in a database, and the usual one for who has set none.
func New(db *store.DB, usual *time.Location, log *slog.Logger) *Zones { return &Zones{db, usual, log} }

// Of is a [ZoneOf].
func (z *Zones) Of(ctx context.Context, who chat.UserID) *time.Location {
	own, err := z.own(ctx, who)
	if err != nil && ctx.Err() == nil {
		z.log.WarnContext(ctx, "cannot look up a time zone", "user", who, "err", err)
	}
	if own == nil {
		return z.usual
	}
	return own
}

// own returns the zone that a person has set; nil for none.
func (z *Zones) own(ctx context.Context, who chat.UserID) (*time.Location, error) {
	name, err := store.Value[string](ctx, z.db, "SELECT zone FROM zones WHERE person = ?", who)
	if name == "" || err != nil {
		return nil, store.Plain(err)
	}
	return time.LoadLocation(name)
}

func (z *Zones) set(ctx context.Context, who chat.UserID, zone *time.Location) error {
	_, err := z.db.ExecContext(ctx, "INSERT INTO zones (person, zone) VALUES (?, ?) ON CONFLICT (person) DO UPDATE SET zone = excluded.zone",
		who, zone.String())
	return store.Plain(err)
}

func (z *Zones) clear(ctx context.Context, who chat.UserID) error {
	_, err := z.db.ExecContext(ctx, "DELETE FROM zones WHERE person = ?", who)
	return store.Plain(err)
}

// areas are those of the tz database in which cities are. See https://data.iana.org/time-zones/theory.html
var areas = []string{"Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}

// find returns the zone of a name, in capitals or not, or of a city alone; nil if there is none.
func find(name string) *time.Location {
	name = strings.ReplaceAll(name, " ", "_")
	before := '/'
	capital := strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); strings.ContainsRune("/_-", before) {
			r = unicode.ToUpper(r)
		}
		before = r
		return r
	}, name)
	names := []string{name, strings.ToUpper(name), capital}
	for _, area := range areas {
		names = append(names, area+"/"+capital)
	}
	for _, name := range names {
		if zone, err := time.LoadLocation(name); err == nil && zone != time.Local {
			return zone
		}
	}
	return nil
}

// timeLayouts are the forms of RFC 3339 in which a time is written, with its offset or, as people do, without.
var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00",
	"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04"}

// dayBegins is the hour that a date alone means, unless it is over.
const dayBegins = 9

// Parse reads a time: 2027-05-01T18:00+02:00, or without its offset by the clock of now. A date alone means 9:00 or, where that is over,
// the end of that day.
func Parse(text string, now time.Time) (time.Time, error) {
	said := strings.ToUpper(strings.TrimSpace(text))
	if day, err := time.ParseInLocation(time.DateOnly, said, now.Location()); err == nil {
		at := time.Date(day.Year(), day.Month(), day.Day(), dayBegins, 0, 0, 0, now.Location())
		if !at.After(now) { // nobody means this morning by "due today"
			at = time.Date(day.Year(), day.Month(), day.Day(), 23, 59, 0, 0, now.Location())
		}
		return at, nil
	}
	for _, layout := range timeLayouts {
		if at, err := time.ParseInLocation(layout, said, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("I can't read %q as a date; write it like 2027-05-01, or with a time like 2027-05-01T18:00",
		chat.Clip(chat.OneLine(text), 40))
}

// ParseEnd is Parse for an end: a date alone means the end of that day.
func ParseEnd(text string, now time.Time) (time.Time, error) {
	at, err := Parse(text, now)
	if err == nil && len(strings.TrimSpace(text)) == len(time.DateOnly) {
		at = time.Date(at.Year(), at.Month(), at.Day()+1, 0, 0, 0, 0, now.Location()).Add(-time.Microsecond)
	}
	return at, err
}
