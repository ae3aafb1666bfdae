package recall

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strconv"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
	"discoclaw/internal/sleep"
	"discoclaw/internal/store"
)

// A vector is an embedding with a signed byte for each dimension: of their direction, which is all that counts, that
// loses next to nothing.
type vector []int8

func quantised(v []float32) vector {
	var most float32
	for _, x := range v {
		most = max(most, x, -x)
	}
	q := make(vector, len(v))
	for i, x := range v {
		if most > 0 {
			q[i] = int8(math.Round(float64(x / most * math.MaxInt8)))
		}
	}
	return q
}

func (v vector) bytes() []byte {
	b := make([]byte, len(v))
	for i, x := range v {
		b[i] = byte(x)
	}
	return b
}

// near returns the cosine of the angle to a stored vector.
func (v vector) near(stored []byte) float64 {
	if len(stored) != len(v) {
		return -1
	}
	var dot, norm int32
	for i, x := range v {
		y := int32(int8(stored[i]))
		dot += int32(x) * y
		norm += y * y
	}
	if norm == 0 {
		return -1
	}
	return float64(dot) / math.Sqrt(float64(norm)) // that of v is the same for all
}

// embedQuery begins to embed a query, and returns a function that waits for it. Nil means that words alone count.
func (e *Engine) embedQuery(ctx context.Context, text string) func() vector {
	if e.Embedder == nil {
		return func() vector { return nil }
	}
	done := make(chan vector, 1)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, embedTime)
		defer cancel()
		got, err := e.Embedder.Embed(ctx, chat.Clip(text, chunkLength))
		if err != nil {
			e.Log.WarnContext(ctx, "question not embedded; words alone are searched", "err", err)
			done <- nil
			return
		}
		done <- got[0]
	}()
	return func() vector { return <-done }
}

// byMeaning returns the messages whose vectors are nearest. It compares all of those that the people may read.
func (e *Engine) byMeaning(ctx context.Context, q Query, v vector, rooms []chat.ChannelID) ([]Hit, error) {
	if v == nil {
		return nil, nil
	}
	if space, err := meta(ctx, e.DB, "space"); err != nil || space != e.Embedder.space() {
		return nil, err // those of another model, which are yet to be replaced
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	near, err := e.nearest(ctx, q, v, rooms)
	if err != nil {
		return nil, err
	}
	var ids []string
	rank := map[int64]int{}
	for i, n := range near {
		ids, rank[n.id] = append(ids, strconv.FormatInt(n.id, 10)), i
	}
	hits, err := e.hits(ctx, "SELECT "+hitColumns+` FROM recall r WHERE r.id IN (SELECT CAST(value AS INTEGER) FROM json_each(?))
		AND r.message NOT IN (SELECT value FROM json_each(?))`, list(ids), list(q.Exclude))
	order.By(hits, func(a, b Hit) int { return rank[a.id] - rank[b.id] })
	return hits, err
}

// rowsEach is how many rows a message has at most: Discord takes 4,000 characters of one.
const rowsEach = 4

// A neighbour is a row and how near it is.
type neighbour struct {
	id   int64
	near float64
}

// nearest compares every vector that the people may read. That is simpler than an extension of SQLite for vectors, takes about as
// long, and far less where most is not for these people; docs/memory.md has the figures. What is to be
// excluded is among the nearest here, of which there are so many more: to ask for each row takes three times as long.
func (e *Engine) nearest(ctx context.Context, q Query, v vector, rooms []chat.ChannelID) ([]neighbour, error) {
	most := pool + rowsEach*len(q.Exclude)
	query, args := "SELECT id, vector FROM recall_vectors WHERE room IN (SELECT value FROM json_each(?))", []any{list(rooms)}
	switch {
	case slices.Contains(rooms, q.In):
		args[0] = list([]chat.ChannelID{q.In})
	case q.In != "": // a thread
		query += " AND id IN (SELECT id FROM recall WHERE room IN (SELECT value FROM json_each(?)) AND channel = ?)"
		args = append(args, list(rooms), q.In)
	}
	rows, err := e.DB.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var best []neighbour // the nearest first
	for rows.Next() {
		var n neighbour
		var stored sql.RawBytes
		if err := rows.Scan(&n.id, &stored); err != nil {
			return nil, err
		}
		if n.near = v.near(stored); len(best) == most && n.near <= best[most-1].near {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, n, func(a, b neighbour) int { return cmp.Compare(b.near, a.near) })
		best = slices.Insert(best, at, n)[:min(len(best)+1, most)]
	}
	return best, rows.Err()
}

const firstPause, lastPause = 2 * time.Second, 5 * time.Minute // of the exponential backoff

// embedAll embeds rows as they are written, in the order of their IDs, until ctx ends. Rows of an earlier process,
// or of a time without an embedder, are embedded first.
func (e *Engine) embedAll(ctx context.Context) {
	if e.Embedder == nil {
		return
	}
	wait := firstPause
	for {
		n, err := e.embedSome(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			e.Log.WarnContext(ctx, "old talk not embedded; trying again", "err", err)
			if !sleep.For(ctx, wait) {
				return
			}
			wait = min(2*wait, lastPause)
			continue
		}
		wait = firstPause
		if n > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-e.more:
		}
	}
}

// embedSome embeds the next rows, and returns how many there were.
func (e *Engine) embedSome(ctx context.Context) (int, error) {
	upTo, err := e.enter(ctx)
	if err != nil {
		return 0, err
	}
	var ids []int64
	texts, err := store.All(ctx, e.DB, func(row store.Row) (text string, err error) {
		err = row.Scan(&upTo, &text)
		ids = append(ids, upTo)
		return text, err
	}, "SELECT id, text FROM recall WHERE id > ? ORDER BY id LIMIT ?", upTo, maxTexts)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	vectors, err := e.Embedder.Embed(ctx, texts...)
	if isRefused(err) {
		e.Log.WarnContext(ctx, "old talk refused by the embeddings server; it is found by its words alone", "messages", len(ids), "err", err)
	} else if err != nil {
		return 0, err
	}
	return len(ids), e.DB.Tx(ctx, func(tx *store.Tx) error {
		for i, v := range vectors {
			// A row that was deleted meanwhile gets none.
			if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO recall_vectors (id, room, vector) SELECT id, room, ? FROM recall WHERE id = ?", v.bytes(), ids[i]); err != nil {
				return err
			}
		}
		return setMeta(ctx, tx, "embedded", strconv.FormatInt(upTo, 10))
	})
}

// enter returns up to which row there are vectors. If those are of another model, it removes them, and embedding begins
// anew.
func (e *Engine) enter(ctx context.Context) (upTo int64, err error) {
	space, err := meta(ctx, e.DB, "space")
	if err != nil {
		return 0, err
	}
	if space != e.Embedder.space() {
		if space != "" {
			e.Log.InfoContext(ctx, "the model of the embeddings has changed; old talk is embedded anew", "model", e.Embedder.space())
		}
		return 0, e.DB.Tx(ctx, func(tx *store.Tx) error {
			if _, err := tx.ExecContext(ctx, "DELETE FROM recall_vectors"); err != nil {
				return err
			}
			if err := setMeta(ctx, tx, "embedded", "0"); err != nil {
				return err
			}
			return setMeta(ctx, tx, "space", e.Embedder.space())
		})
	}
	text, err := meta(ctx, e.DB, "embedded")
	upTo, _ = strconv.ParseInt(text, 10, 64) // 0 before the first
	return upTo, err
}
