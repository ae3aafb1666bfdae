// Package memory keeps what the bot knows about people: facts and preferences, each about one person.
//
// An [Engine] has [Item]s: facts, preferences and the like, each about one person, who can see, export and erase them.
// Some 25 of a person are active and stand in prompts, within a budget, the most useful first; the others wait to be
// remembered again, up to 200.
//
// It also sums up conversations, so that a prompt has more than the last messages, and finds things to remember in
// them. That asks a model, after a turn and never while nobody speaks.
package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
	"discoclaw/internal/store"
)

// MaxText is how many characters an item may have: longer ones would push the others out of prompts.
const MaxText = 1000

// Kinds are the kinds of items. The first is the default.
var Kinds = []string{"fact", "preference", "project", "constraint", "person", "tool", "workflow"}

// Sources of items.
const (
	ByCommand = "command"
	ByAction  = "action"
	ByTalk    = "talk" // the bot found it in what was said
	ByImport  = "import"
)

// An Item is one thing that the bot remembers about a person.
type Item struct {
	ID         string // derived from kind and text
	Kind       string
	Text       string
	Importance int
	Active     bool
	Source     string
	Said       chat.Place   // where it was said; may be empty
	Outside    chat.Sources // the outside texts that had been read then
	Created    time.Time
	Updated    time.Time
	Hits       int       // how often it was about what was asked
	Hit        time.Time // when it was last
}

// idOf returns the ID of an item. Items that differ in case and spaces alone are the same.
func idOf(kind, text string) string {
	sum := sha256.Sum256([]byte(kind + ":" + strings.ToLower(chat.OneLine(text))))
	return "durable-" + hex.EncodeToString(sum[:4])
}

// Options are what an engine does, and its limits. A nil Log discards.
type Options struct {
	Budget    int // characters of a person's items in a prompt
	MaxActive int // items of a person that prompts may have
	MaxItems  int // items of a person that are kept
	Talks     Talks
	Short     Short
	Log       *slog.Logger
}

// An Engine is safe for concurrent use, as soon as its database is open.
type Engine struct {
	Options
	rows rows

	mu   sync.Mutex
	hits map[hitKey]hit          // not written yet
	wake chan struct{}           // wakes Run; has room for one
	busy map[chat.ChannelID]bool // conversations that are being summed up
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	db.Retain("exchanges", "at", exchangeRetention)
	db.Retain("old_summaries", "at", o.Talks.Archive)
	return &Engine{Options: o, rows: rows{db}, hits: map[hitKey]hit{}, wake: make(chan struct{}, 1), busy: map[chat.ChannelID]bool{}}
}

// Remember stores an item, or refreshes the one that says the same, and returns it. Other items may stop being active
// to make room for it, never itself. An error is a sentence for people.
func (e *Engine) Remember(ctx context.Context, who chat.UserID, it Item) (Item, error) {
	it, _, _, err := e.Replace(ctx, who, "", it)
	return it, err
}

// Replace is Remember for an item that takes the place of those that a text means. If it is unclear which, nothing changes, and it returns
// those that are near and no item. Without a text it replaces none.
func (e *Engine) Replace(ctx context.Context, who chat.UserID, old string, it Item) (stored Item, replaced, near []Item, err error) {
	it.Text = chat.OneLine(it.Text)
	it.Kind = cmp.Or(it.Kind, Kinds[0])
	it.Importance = cmp.Or(it.Importance, Normal)
	switch {
	case it.Text == "":
		return Item{}, nil, nil, errors.New("say what to remember")
	case chat.Length(it.Text) > MaxText:
		return Item{}, nil, nil, fmt.Errorf("that has %d characters, and I can remember %d at a time", chat.Length(it.Text), MaxText)
	case !slices.Contains(Kinds, it.Kind):
		return Item{}, nil, nil, fmt.Errorf("%s is no kind of memory; the kinds are %s", chat.InCode(chat.Clip(it.Kind, 40)), strings.Join(Kinds, ", "))
	}
	it.ID, it.Active = idOf(it.Kind, it.Text), true
	now := store.Rounded(time.Now())
	it.Created, it.Updated = now, now
	err = e.rows.change(ctx, who, func(all []Item) []Item {
		if old != "" {
			var found []int
			if found, near = meant(all, old); len(found) == 0 {
				it = Item{}
				return all
			}
			replaced = slices.DeleteFunc(putAside(all, found), func(old Item) bool { return old.ID == it.ID })
		}
		near = nil
		return e.added(all, it, now)
	})
	return it, replaced, near, err
}

// added returns the items of a person with a further one, within the limits.
func (e *Engine) added(all []Item, it Item, now time.Time) []Item {
	if i := slices.IndexFunc(all, func(old Item) bool { return old.ID == it.ID }); i >= 0 {
		it.Created, it.Hits, it.Hit = all[i].Created, all[i].Hits, all[i].Hit
		it.Outside.Add(all[i].Outside)
		if all[i].Active { // saying it again does not make it less important
			it.Importance = max(it.Importance, all[i].Importance)
		}
		all[i] = it
	} else {
		all = append(all, it)
	}
	e.compact(all, it.ID, now)
	for len(all) > e.MaxItems {
		i := e.least(all, now, func(old Item) bool { return old.ID != it.ID && !old.Active })
		if i < 0 {
			i = e.least(all, now, func(old Item) bool { return old.ID != it.ID })
		}
		all = slices.Delete(all, i, i+1)
	}
	return all
}

// settled is the age from which on an item may stop being active. In a full memory a new one has not been of use yet,
// so it would be the first to go.
const settled = 24 * time.Hour

// compact makes the least valuable items inactive until the others keep within the limits.
func (e *Engine) compact(all []Item, keep string, now time.Time) {
	for {
		var active, length int
		for _, it := range all {
			if it.Active {
				active++
				length += chat.Length(it.line()) + 1
			}
		}
		if active <= e.MaxActive && length-1 <= e.Budget {
			return
		}
		i := e.least(all, now, func(it Item) bool { return it.Active && it.ID != keep && now.Sub(it.Updated) >= settled })
		if i < 0 {
			return
		}
		all[i].Active, all[i].Updated = false, now
	}
}

// least returns the index of the least valuable item that meets a condition, or -1.
func (e *Engine) least(all []Item, now time.Time, of func(Item) bool) int {
	found := -1
	for i, it := range all {
		if of(it) && (found < 0 || byValue(it, all[found], now) < 0) {
			found = i
		}
	}
	return found
}

// byValue compares the value of two items.
func byValue(a, b Item, now time.Time) int {
	used := func(it Item) float64 { return float64(it.Hits) * recency(it.Hit, now) }
	return cmp.Or(
		cmp.Compare(a.Importance, b.Importance),
		cmp.Compare(used(a), used(b)),
		cmp.Compare(a.Hits, b.Hits),
		a.Hit.Compare(b.Hit),
		a.Updated.Compare(b.Updated),
		a.Created.Compare(b.Created),
		strings.Compare(a.ID, b.ID),
	)
}

// recency falls from 1 to a half in thirty days.
func recency(t, now time.Time) float64 {
	days := max(0, now.Sub(t).Hours()/24)
	return 1 / (1 + days/30)
}

// Items returns the items of a person, the active ones first and each in the order of their time.
func (e *Engine) Items(ctx context.Context, who chat.UserID) ([]Item, error) {
	all, err := e.rows.of(ctx, e.rows.db, who)
	order.By(all, func(a, b Item) int {
		if a.Active != b.Active && a.Active {
			return -1
		} else if a.Active != b.Active {
			return 1
		}
		return a.Created.Compare(b.Created)
	})
	return all, err
}

// Forget makes the active items inactive that a text means. If it is unclear which, it returns those that are near.
func (e *Engine) Forget(ctx context.Context, who chat.UserID, text string) (forgotten, near []Item, err error) {
	return e.forget(ctx, who, text, meant)
}

// A finding finds the active items that a text means, or else those that are near.
type finding func(all []Item, text string) (found []int, near []Item)

func (e *Engine) forget(ctx context.Context, who chat.UserID, text string, find finding) (forgotten, near []Item, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil, errors.New("say what to forget")
	}
	err = e.rows.change(ctx, who, func(all []Item) []Item {
		var found []int
		found, near = find(all, text)
		forgotten = putAside(all, found)
		return all
	})
	return forgotten, near, err
}

// putAside makes items inactive, and returns them as they were.
func putAside(all []Item, which []int) (were []Item) {
	for _, i := range which {
		were = append(were, all[i])
		all[i].Active, all[i].Updated = false, store.Rounded(time.Now())
	}
	return were
}

// Importance is from Minor to Major. An item that matters more is kept longer, and a prompt has room for those of Major importance
// before others.
const (
	Minor = 1 + iota
	Normal
	Major
)

// SetImportance gives an importance to the active items that contain a text, or to the one whose ID it is. It returns them as they were.
func (e *Engine) SetImportance(ctx context.Context, who chat.UserID, text string, importance int) (before []Item, err error) {
	needle := strings.ToLower(chat.OneLine(text))
	if needle == "" {
		return nil, errors.New("say which memory you mean")
	}
	err = e.rows.change(ctx, who, func(all []Item) []Item {
		before = nil
		for i, it := range all {
			if it.Active && (it.ID == needle || strings.Contains(strings.ToLower(it.Text), needle)) {
				before = append(before, it)
				all[i].Importance = importance
			}
		}
		return all
	})
	return before, err
}

// rows are the items in the database.
type rows struct{ db *store.DB }

// of returns the items of a person, the oldest first.
func (r rows) of(ctx context.Context, from store.Reader, who chat.UserID) ([]Item, error) {
	all, err := store.All(ctx, from, scan, `SELECT id, kind, text, importance, active, source, guild, channel, message, outside, created, updated, hits, hit
		FROM memories WHERE person = ? ORDER BY created, id`, string(who))
	return all, store.Plain(err)
}

func scan(row store.Row) (it Item, err error) {
	err = row.Scan(&it.ID, &it.Kind, &it.Text, &it.Importance, &it.Active, &it.Source, &it.Said.Guild, &it.Said.Channel, &it.Said.Message,
		&it.Outside, store.Time(&it.Created), store.Time(&it.Updated), &it.Hits, store.Time(&it.Hit))
	return it, err
}

// change replaces the items of a person by what f makes of them. Changes of one database run one after another, so
// none is lost.
func (r rows) change(ctx context.Context, who chat.UserID, f func([]Item) []Item) error {
	return store.Plain(r.db.Tx(ctx, func(tx *store.Tx) error {
		before, err := r.of(ctx, tx, who)
		if err != nil {
			return err
		}
		known := map[string]Item{}
		for _, it := range before {
			known[it.ID] = it
		}
		for _, it := range f(before) {
			if old, ok := known[it.ID]; !ok || old != it {
				if err := r.put(ctx, tx, who, it); err != nil {
					return err
				}
			}
			delete(known, it.ID)
		}
		for id := range known {
			if _, err := tx.ExecContext(ctx, "DELETE FROM memories WHERE person = ? AND id = ?", string(who), id); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (r rows) put(ctx context.Context, tx *store.Tx, who chat.UserID, it Item) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO memories (person, id, kind, text, importance, active, source, guild, channel, message, outside, created, updated, hits, hit)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person, id) DO UPDATE SET
			kind = excluded.kind, text = excluded.text, importance = excluded.importance, active = excluded.active, source = excluded.source,
			guild = excluded.guild, channel = excluded.channel, message = excluded.message, outside = excluded.outside,
			created = excluded.created, updated = excluded.updated, hits = excluded.hits, hit = excluded.hit`,
		string(who), it.ID, it.Kind, it.Text, it.Importance, it.Active, it.Source, string(it.Said.Guild), string(it.Said.Channel),
		string(it.Said.Message), string(it.Outside), store.Micro(it.Created), store.Micro(it.Updated), it.Hits, store.Micro(it.Hit))
	return err
}

// hit counts hits of items.
func (r rows) hit(ctx context.Context, hits map[hitKey]hit) error {
	return store.Plain(r.db.Tx(ctx, func(tx *store.Tx) error {
		for k, h := range hits {
			if _, err := tx.ExecContext(ctx, "UPDATE memories SET hits = hits + ?, hit = ? WHERE person = ? AND id = ?", h.count, h.last.UnixMicro(), string(k.who), k.id); err != nil {
				return err
			}
		}
		return nil
	}))
}
