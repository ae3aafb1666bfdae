package recall

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/memory/words"
	"discoclaw/internal/order"
	"discoclaw/internal/store"
)

// A Query is a question to the memory of a server.
type Query struct {
	Here    chat.Place       // where it is asked; its server is searched, and what was said in its channel comes first
	People  []chat.UserID    // who ask: found is what all of them may read now. Without any, nothing is
	Text    string           // what it is about
	In      chat.ChannelID   // only this channel and its threads; empty means all
	Exclude []chat.MessageID // what is known already
	Limit   int
}

// A Hit is a message, or the part of a long one that fits best.
type Hit struct {
	At      chat.Place
	Channel string // its name; empty if it is not known, or not for everybody in the channel of the query
	Closed  bool   // not everybody there may read it
	Author  chat.UserID
	Name    string
	Sent    time.Time
	Text    string
	Outside chat.Sources // the outside texts in it

	id    int64
	room  chat.ChannelID
	seen  int64
	score float64
}

const (
	searchTime = 2 * time.Second // of the index; beyond that, nothing is recalled
	embedTime  = 3 * time.Second // of the embedding of a query; beyond that, words alone count
	maxChecks  = 5               // messages that are looked up in Discord for a query
	checkTime  = 3 * time.Second

	maxRanked = 20_000 // rows that are ranked, if the question has a word that is in fewer

	pool     = 50  // hits of each list that are ranked
	rankBase = 60  // of reciprocal rank fusion
	nearby   = 1.1 // how much more a hit in the same channel counts
)

// Search returns the messages that fit best, the best first.
func (e *Engine) Search(ctx context.Context, q Query) ([]Hit, error) {
	if e == nil || q.Here.Guild == "" || len(q.People) == 0 {
		return nil, nil
	}
	words := terms(q.Text)
	if len(words) == 0 {
		return nil, nil
	}
	names, rooms, err := e.rooms(ctx, q)
	if err != nil || len(rooms) == 0 {
		return nil, err
	}
	vector := e.embedQuery(ctx, q.Text)
	byWords, err := e.byWords(ctx, q, words, rooms)
	if err != nil {
		return nil, fmt.Errorf("search old talk: %w", err)
	}
	byMeaning, err := e.byMeaning(ctx, q, vector(), rooms)
	if err != nil {
		e.Log.WarnContext(ctx, "vectors not searched; words alone count", "err", err)
	}
	hits := fuse(q.Here.Channel, byWords, byMeaning)
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return e.isGone(h.At) })
	if hits, err = e.checked(ctx, q, hits); err != nil {
		return nil, err
	}
	for i := range hits {
		e.describe(ctx, q, names, &hits[i])
	}
	return hits, nil
}

// rooms returns the channels that the people of a query may read now, and the names of all channels. Public threads
// go by their channel; of private ones, only that of the query counts, since their members take a request each.
func (e *Engine) rooms(ctx context.Context, q Query) (map[chat.ChannelID]string, []chat.ChannelID, error) {
	all, err := e.Server.Channels(ctx, q.Here.Guild)
	if err != nil {
		return nil, nil, err
	}
	names := map[chat.ChannelID]string{}
	var rooms []chat.ChannelID
	for _, ch := range all {
		names[ch.ID] = ch.Name
		if ch.Kind == chat.CategoryKind || ch.Kind == chat.Thread && !(ch.Private && ch.ID == q.Here.Channel) {
			continue
		}
		ok, err := e.mayRead(ctx, q, ch.ID)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			rooms = append(rooms, ch.ID)
		}
	}
	return names, rooms, nil
}

func (e *Engine) mayRead(ctx context.Context, q Query, ch chat.ChannelID) (bool, error) {
	for _, who := range q.People {
		missing, err := e.Server.MissingPermissions(ctx, q.Here.Guild, who, ch, []chat.Permission{chat.ViewChannel, chat.ReadHistory})
		if err != nil || len(missing) > 0 {
			return false, err
		}
	}
	return true, nil
}

const hitColumns = "r.id, r.guild, r.channel, r.message, r.room, r.author, r.name, r.created, r.seen, r.outside, r.text"

// byWords returns the messages with words of the query. The index returns rows by rank, and those that the people
// may not read are passed over inside of the query, so that they crowd out nothing.
func (e *Engine) byWords(ctx context.Context, q Query, words []string, rooms []chat.ChannelID) ([]Hit, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	words, err := e.rarest(ctx, words)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	return e.hits(ctx, `SELECT `+hitColumns+` FROM recall_words w JOIN recall r ON r.id = w.rowid
		WHERE recall_words MATCH ? AND r.guild = ? AND r.room IN (SELECT value FROM json_each(?))
		AND r.message NOT IN (SELECT value FROM json_each(?)) AND ? IN ('', r.channel, r.room)
		ORDER BY w.rank LIMIT ?`, strings.Join(words, " OR "), q.Here.Guild, list(rooms), list(q.Exclude), q.In, pool)
}

// rarest returns the words that are in few rows. Ranking takes seventy times as long as counting, and a word that
// is in many rows hardly changes the order.
func (e *Engine) rarest(ctx context.Context, words []string) ([]string, error) {
	count := map[string]int{}
	for _, w := range words {
		n, err := store.Value[int](ctx, e.DB, "SELECT COUNT(*) FROM (SELECT 1 FROM recall_words WHERE recall_words MATCH ? LIMIT ?)", w, maxRanked)
		if err != nil {
			return nil, err
		}
		count[w] = n
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return count[w] == 0 })
	slices.SortStableFunc(words, func(a, b string) int { return count[a] - count[b] })
	sum := 0
	for i, w := range words {
		if sum += count[w]; sum > maxRanked && i > 0 {
			return words[:i], nil
		}
	}
	return words, nil
}

func (e *Engine) hits(ctx context.Context, query string, args ...any) ([]Hit, error) {
	return store.All(ctx, e.DB, func(row store.Row) (h Hit, err error) {
		err = row.Scan(&h.id, &h.At.Guild, &h.At.Channel, &h.At.Message, &h.room, &h.Author, &h.Name, store.Time(&h.Sent),
			&h.seen, &h.Outside, &h.Text)
		return h, err
	}, query, args...)
}

// list returns IDs as a JSON array, which json_each makes rows of.
func list[T ~string](ids []T) string {
	if ids == nil {
		return "[]"
	}
	text, err := json.Marshal(ids)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return string(text)
}

// fuse ranks the hits of several lists by reciprocal rank fusion: one that is in more than one counts more. Of a
// message, the best row stays.
func fuse(here chat.ChannelID, lists ...[]Hit) []Hit {
	at := map[chat.MessageID]int{}
	var all []Hit
	for _, found := range lists {
		rank := 0
		in := map[chat.MessageID]bool{}
		for _, h := range found {
			if in[h.At.Message] {
				continue
			}
			in[h.At.Message] = true
			rank++
			i, known := at[h.At.Message]
			if !known {
				i = len(all)
				at[h.At.Message] = i
				all = append(all, h)
			}
			all[i].score += 1 / float64(rankBase+rank)
		}
	}
	for i := range all {
		if all[i].At.Channel == here {
			all[i].score *= nearby
		}
	}
	order.By(all, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	return all
}

// checked returns the first hits that are known to be in Discord, up to the limit. Those that were not seen since
// the last gap are looked up, at most maxChecks of them; beyond that, they are left out.
func (e *Engine) checked(ctx context.Context, q Query, hits []Hit) ([]Hit, error) {
	since, err := e.since(ctx, q.Here.Guild)
	if err != nil {
		return nil, err
	}
	checks, n := 0, 0
	hits = slices.DeleteFunc(hits, func(h Hit) bool {
		if h.seen < since && n < q.Limit {
			checks++
		}
		drop := n >= q.Limit || h.seen < since && checks > maxChecks
		if !drop {
			n++
		}
		return drop
	})
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	there := make([]bool, len(hits))
	var wg sync.WaitGroup
	for i := range hits {
		if there[i] = hits[i].seen >= since; !there[i] {
			wg.Go(func() { there[i] = e.isThere(ctx, &hits[i]) })
		}
	}
	wg.Wait()
	var found []Hit
	for i, h := range hits {
		if there[i] {
			found = append(found, h)
		}
	}
	return found, nil
}

// isThere looks a hit up in Discord. One that was deleted while the bot was away is removed, and one that was edited
// is replaced. If Discord does not tell, it is left out this time.
func (e *Engine) isThere(ctx context.Context, h *Hit) bool {
	m, err := e.Server.Message(ctx, h.At.Channel, h.At.Message)
	switch {
	case chat.IsGone(err):
		e.Deleted(h.At)
		return false
	case err != nil:
		e.Log.WarnContext(ctx, "old message not looked up, so it is not recalled", "message", h.At.Message, "channel", h.At.Channel, "err", err)
		return false
	case h.Author == e.Server.Self().ID: // its text is not that of the message alone
		e.enqueue(&change{at: h.At, seen: true})
		return true
	}
	m.Place.Guild = h.At.Guild
	k, ok := e.keep(m)
	switch {
	case !ok:
		e.Deleted(h.At)
		return false
	case !slices.Contains(chunks(k.text), h.Text):
		e.enqueue(&change{at: h.At, kept: k, edit: true})
		h.Text = k.text
		return true
	}
	e.enqueue(&change{at: h.At, seen: true})
	return true
}

// describe adds what a reader needs to know about a hit.
func (e *Engine) describe(ctx context.Context, q Query, names map[chat.ChannelID]string, h *Hit) {
	if open, err := e.Server.Readable(ctx, q.Here.Guild, q.Here.Channel, h.room); err != nil || !open {
		h.Closed = true
	} else {
		h.Channel = names[h.At.Channel]
	}
	if m := (chat.Message{Author: chat.User{ID: h.Author}, Text: h.Text}); h.Outside == "" && e.Outsider(m) {
		h.Outside.Add(m.Byline()) // its author may have been served then
	}
}

// maxTerms is how many words of a question are looked for.
const maxTerms = 12

// terms returns the words of a question that are looked for, quoted for the full-text index.
func terms(text string) (list []string) {
	for _, w := range words.Telling(text) {
		if term := `"` + w + `"`; !slices.Contains(list, term) && len(list) < maxTerms {
			list = append(list, term)
		}
	}
	return list
}
