package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/memory/words"
	"discoclaw/internal/order"
	"discoclaw/internal/sleep"
)

// line is an item as it is told to models. Its text is on one line, so that it cannot pass for another one.
func (it Item) line() string {
	return fmt.Sprintf("- [%s] %s (%s)", it.Kind, chat.OneLine(it.Text), it.Updated.UTC().Format(time.DateOnly))
}

// source says, for people, that an item came from outside text, and how they get rid of it: it marks each turn that it is told to.
func (it Item) source() chat.Sources {
	if it.Outside == "" {
		return ""
	}
	const remembered = "what I remember from "
	from := it.Outside.Phrase()
	if strings.Contains(from, remembered) {
		from = "outside text" // a list in a list
	}
	return chat.Sources(fmt.Sprintf(remembered+"%s (%s forgets it)", from, chat.InCode("!memory forget "+it.ID)))
}

// A Selection is what a prompt has of a person's items.
type Selection struct {
	Text    string       // a line each
	Whole   bool         // all active ones are in it
	Outside chat.Sources // the outside texts that they come from

	items []Item
}

// Among is the text of those that were said in certain places.
func (s Selection) Among(places func(said chat.Place) bool) string {
	var lines []string
	for _, it := range s.items {
		if places(it.Said) {
			lines = append(lines, it.line())
		}
	}
	return strings.Join(lines, "\n")
}

// Select returns the active items of a person for a prompt about a text: those of Major importance, then the others, the most useful
// first. An item that does not fit the budget is skipped.
func (e *Engine) Select(ctx context.Context, who chat.UserID, about string) (Selection, error) {
	all, err := e.rows.of(ctx, e.rows.db, who)
	if err != nil {
		return Selection{}, err
	}
	now := time.Now()
	var lines []string
	selected := Selection{Whole: true}
	room := e.Budget
	list := ranked(all, about, now)
	order.By(list, func(a, b scored) int { return max(b.Importance, Normal) - max(a.Importance, Normal) })
	for _, s := range list {
		length := chat.Length(s.line())
		if len(lines) > 0 {
			length++
		}
		if length > room {
			selected.Whole = false
			continue
		}
		room -= length
		lines = append(lines, s.line())
		selected.items = append(selected.items, s.Item)
		selected.Outside.Add(s.source())
		if s.relevance > 0 {
			e.noteHit(who, s.ID, now)
		}
	}
	selected.Text = strings.Join(lines, "\n")
	return selected, nil
}

// A scored item is a candidate for a prompt.
type scored struct {
	Item
	relevance, score float64
}

// telling is the set of words that say what a text is about.
func telling(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words.Telling(text) {
		set[w] = true
	}
	return set
}

// Search returns the items of a person that have words of a text, those that are put aside as well, the best first.
func (e *Engine) Search(ctx context.Context, who chat.UserID, text string, limit int) ([]Item, error) {
	all, err := e.rows.of(ctx, e.rows.db, who)
	if err != nil {
		return nil, err
	}
	active := map[string]bool{}
	for i, it := range all {
		active[it.ID] = it.Active
		all[i].Active = true // for ranked
	}
	var found []Item
	for _, s := range ranked(all, text, time.Now()) {
		if s.relevance > 0 && len(found) < limit {
			s.Active = active[s.ID]
			found = append(found, s.Item)
		}
	}
	return found, nil
}

// ranked returns the active items, the most useful first: what is about the text counts most, then what was useful
// or said lately.
func ranked(all []Item, about string, now time.Time) []scored {
	asked := telling(about)
	blended := func(it Item) float64 { return recency(it.Updated, now) + 0.5*float64(it.Hits)*recency(it.Hit, now) }
	var list []scored
	most := 0.0
	for _, it := range all {
		if !it.Active {
			continue
		}
		s := scored{Item: it}
		has := telling(it.Text)
		for w := range asked {
			if has[w] {
				s.relevance += 1 / float64(len(asked))
			}
		}
		most = max(most, blended(it))
		list = append(list, s)
	}
	for i, s := range list {
		list[i].score = blended(s.Item)/most + 2*s.relevance + 0.5*float64(s.Importance-Normal)
	}
	order.By(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.Updated.Compare(a.Updated), strings.Compare(a.ID, b.ID))
	})
	return list
}

// quoted finds the active items that a text quotes: the one whose ID it is, or those of which it is most of the text. So a word that occurs
// in many does not mean them all. Near are the others that contain it.
func quoted(all []Item, text string) (found []int, near []Item) {
	needle := strings.ToLower(chat.OneLine(text))
	for i, it := range all {
		has := strings.ToLower(it.Text)
		switch {
		case !it.Active || it.ID != needle && !strings.Contains(has, needle):
		case it.ID == needle, 10*len(needle) >= 6*len(has):
			found = append(found, i)
		default:
			near = append(near, it)
		}
	}
	return found, near
}

const maxNear = 5 // items that are named when it is unclear which is meant

// meant finds the active items that a text quotes, or else the only one that has most of its telling words, in whatever form. Near are
// those that have some of them. Words count less, the more items have them.
func meant(all []Item, text string) (found []int, near []Item) {
	found, near = quoted(all, text)
	if len(found) > 0 {
		return found, nil
	}
	score, total := make([]float64, len(all)), 0.0
	for _, w := range slices.Sorted(maps.Keys(telling(text))) {
		var having []int
		for i, it := range all {
			if it.Active && it.has(w) {
				having = append(having, i)
			}
		}
		weight := 1 / float64(max(1, len(having)))
		total += weight
		for _, i := range having {
			score[i] += weight
		}
	}
	for i, it := range all {
		if score[i] > total/2 {
			found = append(found, i)
		}
		if score[i] > 0 && !slices.Contains(near, it) {
			near = append(near, it)
		}
	}
	if len(found) == 1 {
		return found, nil
	}
	return nil, near[:min(len(near), maxNear)]
}

// has reports whether an item has a word, in whatever form.
func (it Item) has(word string) bool {
	words := telling(it.Text)
	return words[word] || slices.ContainsFunc(slices.Collect(maps.Keys(words)), func(own string) bool { return chat.Alike(own, word) })
}

type hitKey struct {
	who chat.UserID
	id  string
}

type hit struct {
	count int
	last  time.Time
}

func (e *Engine) noteHit(who chat.UserID, id string, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.hits[hitKey{who, id}]
	e.hits[hitKey{who, id}] = hit{h.count + 1, now}
	sleep.Wake(e.wake)
}

// flushDelay is how long hits wait to be written together: they only rank items, so a turn need not write them.
const flushDelay = 30 * time.Second

// Run writes the hits of items, until ctx ends.
func (e *Engine) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		}
		sleep.For(ctx, flushDelay)
		e.flush(context.WithoutCancel(ctx))
	}
}

func (e *Engine) flush(ctx context.Context) {
	e.mu.Lock()
	waiting := e.hits
	e.hits = map[hitKey]hit{}
	e.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	if err := e.rows.hit(ctx, waiting); err != nil {
		e.Log.WarnContext(ctx, "cannot write which memories were of use", "err", err)
	}
}

// Listed is an item in a list, with the ID by which it can be forgotten.
func (it Item) Listed() string { return it.line() + " " + it.ID }
