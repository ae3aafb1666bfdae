package recall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/store"
)

// An archive is a large store of random talk, in fifty channels, of which readers see some.
type archive struct {
	db    *store.DB
	rooms int // channels that may be read
}

const archived = 50 // channels

func room(i int) chat.ChannelID { return chat.ChannelID(fmt.Sprint(100000000000000000 + i)) }

func (a *archive) Self() chat.User { return chat.User{ID: "1"} }

func (a *archive) Channels(context.Context, chat.GuildID) (list []chat.Channel, err error) {
	for i := range archived {
		list = append(list, chat.Channel{ID: room(i), Kind: chat.TextChannel, Name: fmt.Sprint("room-", i)})
	}
	return list, nil
}

func (a *archive) ChannelByID(_ context.Context, ch chat.ChannelID) (chat.Channel, error) {
	return chat.Channel{ID: ch, Kind: chat.TextChannel}, nil
}

func (a *archive) MissingPermissions(_ context.Context, _ chat.GuildID, _ chat.UserID, ch chat.ChannelID, needs []chat.Permission) ([]chat.Permission, error) {
	if ch >= room(a.rooms) {
		return needs, nil
	}
	return nil, nil
}

func (a *archive) Readable(context.Context, chat.GuildID, chat.ChannelID, chat.ChannelID) (bool, error) {
	return true, nil
}

func (a *archive) Message(context.Context, chat.ChannelID, chat.MessageID) (chat.Message, error) {
	return chat.Message{}, context.Canceled
}

// words are as frequent as those of a language, by Zipf's law.
type words struct{ zipf *rand.Zipf }

func newWords(r *rand.Rand) words { return words{rand.NewZipf(r, 1.1, 10, 60_000)} }

func (w words) one() string { return "w" + strconv.FormatUint(w.zipf.Uint64(), 36) }

// rare returns one that is none of the hundred most frequent, as if those were stop words.
func (w words) rare() string {
	for {
		if n := w.zipf.Uint64(); n >= 100 {
			return "w" + strconv.FormatUint(n, 36)
		}
	}
}

// newArchive fills a store with chunks, and with vectors for the first of them.
func newArchive(b *testing.B, chunks, vectors int) *archive {
	b.Helper()
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), store.FileName))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	exec := func(query string) {
		if _, err := db.ExecContext(b.Context(), query); err != nil {
			b.Fatal(err)
		}
	}
	exec("PRAGMA cache_size = -200000") // for filling alone: readers have connections of their own
	r := rand.New(rand.NewPCG(1, 2))
	w := newWords(r)
	for n := 0; n < chunks; {
		err := db.Tx(b.Context(), func(tx *store.Tx) error {
			for range min(50_000, chunks-n) {
				if err := add(b.Context(), tx, r, w, n, n < vectors); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	exec("INSERT INTO recall_meta (name, value) VALUES ('space', 'toy/256')")
	return &archive{db: db, rooms: archived}
}

func add(ctx context.Context, tx *store.Tx, r *rand.Rand, w words, n int, vector bool) error {
	var text []string
	for range 3 + r.IntN(20) {
		text = append(text, w.one())
	}
	ch := room(r.IntN(archived))
	_, err := tx.ExecContext(ctx, "INSERT INTO recall (id, guild, room, channel, message, author, asker, name, created, seen, outside, text, grams) VALUES (?, '1', ?, ?, ?, ?, '', 'ada', 0, 1000, '', ?, '')",
		n+1, ch, ch, fmt.Sprint(200000000000000000+n), fmt.Sprint(300000000000000000+r.IntN(100)), strings.Join(text, " "))
	if err != nil || !vector {
		return err
	}
	v := make([]byte, 256)
	for i := range v {
		v[i] = byte(r.Uint32())
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO recall_vectors (id, room, vector) VALUES (?, ?, ?)", n+1, ch, v)
	return err
}

// size returns a number from the environment: "make recall" sets those of docs/memory.md.
func size(name string, fallback int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return fallback
}

// BenchmarkSearch measures a search, by words alone and with vectors, of somebody who may read everything, and of
// somebody who may read three channels of fifty.
func BenchmarkSearch(b *testing.B) {
	chunks, vectors := size("DISCOCLAW_RECALL_CHUNKS", 10_000), size("DISCOCLAW_RECALL_VECTORS", 2_000)
	a := newArchive(b, chunks, vectors)
	r := rand.New(rand.NewPCG(3, 4))
	w := newWords(r)
	direction := make([]float32, 256)
	for i := range direction {
		direction[i] = r.Float32() - 0.5
	}
	embedder, stop := fixed(direction)
	defer stop()
	for _, how := range []struct {
		name     string
		rooms    int
		embedder *recall.Embedder
	}{
		{"words", archived, nil}, {"words-3-of-50", 3, nil}, {"vectors", archived, embedder}, {"vectors-3-of-50", 3, embedder},
	} {
		a.rooms = how.rooms
		e := recall.New(recall.Options{DB: a.db, Server: a, Outsider: func(chat.Message) bool { return false }, Embedder: how.embedder, Log: slog.New(slog.DiscardHandler)})
		b.Run(fmt.Sprintf("%s/%d", how.name, chunks), func(b *testing.B) {
			var took []time.Duration
			failed := 0
			for b.Loop() {
				var text []string
				for range 2 + r.IntN(6) {
					text = append(text, w.rare())
				}
				if how.embedder != nil {
					text = []string{"nothingofthekind"} // so that vectors alone are measured
				}
				began := time.Now()
				_, err := e.Search(b.Context(), recall.Query{Here: chat.Place{Guild: "1", Channel: room(0)}, People: []chat.UserID{"2"}, Text: strings.Join(text, " "), Limit: 10})
				took = append(took, time.Since(began))
				if err != nil {
					failed++
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
			b.ReportMetric(float64(failed), "timeouts")
		})
	}
}

// fixed returns an embedder that embeds everything as the same vector.
func fixed(v []float32) (*recall.Embedder, func()) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"data": []any{map[string]any{"index": 0, "embedding": v}}})
	}))
	return &recall.Embedder{URL: server.URL, Model: "toy", Dimensions: len(v)}, server.Close
}
