package render_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// manyTexts is the variable that says how many texts TestManyTextsAreChunked takes.
const manyTexts = "DISCOCLAW_CHUNK_TEXTS"

// TestManyTextsAreChunked splits texts that look like what models write, and worse.
// A text is known by its number, so that one that fails can be made again.
func TestManyTextsAreChunked(t *testing.T) {
	t.Parallel()
	want := 500
	if text := os.Getenv(manyTexts); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("%s=%q is no number of texts", manyTexts, text)
		}
		want = n
	}
	var next, done, units atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := next.Add(1); n <= int64(want) && !t.Failed(); n = next.Add(1) {
				text := writeText(rand.New(rand.NewPCG(1, uint64(n))))
				requireChunks(numbered{t, n}, text)
				done.Add(1)
				units.Add(int64(len(text)))
			}
		})
	}
	workers.Wait()
	t.Logf("%d texts with %d MB were split", done.Load(), units.Load()>>20)
}

// numbered adds the number of the text to failures. It does not end the test, which only
// the test's own goroutine may.
type numbered struct {
	t *testing.T
	n int64
}

func (n numbered) Helper() {}

func (n numbered) Fatalf(format string, args ...any) {
	n.t.Errorf("text %d: %s", n.n, fmt.Sprintf(format, args...))
}

// A writer writes one text.
type writer struct {
	*rand.Rand
	strings.Builder
	end string // of its lines
}

// writeText is the text with a number: blocks of Markdown, most of them well-formed.
func writeText(r *rand.Rand) string {
	w := &writer{Rand: r, end: pick(r, "\n", "\n", "\n", "\r\n", "\r")}
	for range 1 + r.IntN(5) {
		w.block()
		w.WriteString(pick(r, w.end, w.end+w.end, w.end+w.end, ""))
	}
	return w.String()
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func (w *writer) block() {
	switch w.IntN(8) {
	case 0, 1:
		w.code("", w.IntN(3))
	case 2:
		w.quote()
	case 3:
		w.WriteString(strings.Repeat(pick(w.Rand, atoms...), w.size()))
	case 4:
		w.list()
	default:
		w.paragraph(pick(w.Rand, "", "", "", "# ", "-# ", "    "))
	}
}

// code is a fenced block with what may stand in one, other fences included. Some are
// never closed, or closed by what does not close them.
func (w *writer) code(indent string, nested int) {
	char := pick(w.Rand, "`", "`", "~")
	mark := strings.Repeat(char, 3+w.IntN(3)*w.IntN(3))
	if w.IntN(200) == 0 {
		mark = strings.Repeat(char, 1+w.IntN(2500))
	}
	info := pick(w.Rand, "", "go", "go", "python", " text", "json title=\"a b\"", "c++", "日本", strings.Repeat("long ", 60), "`")
	w.line(indent + pick(w.Rand, "", "", "", " ", "   ", "    ") + mark + info)
	for range w.size() / 8 {
		w.line(indent + pick(w.Rand, "", "\t", "  ", "        ") + w.words(1+w.IntN(10)))
	}
	if nested > 0 {
		w.code(indent+pick(w.Rand, "", "> "), nested-1)
	}
	switch w.IntN(10) {
	case 0:
	case 1:
		w.line(indent + mark[1:])
	case 2:
		w.line(indent + mark + " no end")
	case 3:
		w.line(indent + mark + mark + " \t")
	default:
		w.line(indent + mark)
	}
}

func (w *writer) quote() {
	depth := strings.Repeat("> ", 1+w.IntN(4))
	for range 1 + w.IntN(6) {
		w.line(depth + w.words(1+w.IntN(30)))
	}
	if w.IntN(3) == 0 {
		w.code(depth, 0)
	}
}

func (w *writer) list() {
	for n := range 1 + w.IntN(20) {
		w.line(strings.Repeat("  ", w.IntN(4)) + pick(w.Rand, "- ", "* ", fmt.Sprintf("%d. ", n+1)) + w.words(1+w.IntN(15)))
	}
}

func (w *writer) paragraph(mark string) {
	for range 1 + w.IntN(4) {
		w.line(mark + w.words(1+w.size()/2))
	}
}

func (w *writer) line(text string) { w.WriteString(text + w.end) }

// words are separated by what people separate words with, or by nothing.
func (w *writer) words(n int) string {
	var b strings.Builder
	blank := pick(w.Rand, " ", " ", " ", "", "  ", "\t", "\u00a0", "\u3000")
	for range n {
		b.WriteString(pick(w.Rand, atoms...) + blank)
	}
	return b.String()
}

// size is mostly small, sometimes enough for several messages, and sometimes so that
// one is just full.
func (w *writer) size() int {
	switch w.IntN(12) {
	case 0:
		return 300 + w.IntN(500)
	case 1:
		return 1960 + w.IntN(60)
	default:
		return 1 + w.IntN(60)
	}
}

// atoms are words, and what is seen as one character but is not one.
var atoms = []string{
	"a", "word", "Words", "sentence.", "https://example.com/a/b?c=d", "`code`", "**bold**", "_it_", "||spoiler||", "<@123456789012345678>",
	"漢字", "かな", "한국어", "ไทย", "हिन्दी", "é", "e\u0301", "a\u0301\u0302\u0303\u0304", "🔥", "𝒳", "𠮷", "👍🏽", "👩‍👩‍👧‍👦", "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
	"🇩🇪", "🇩🇪🇫🇷", "1️⃣", "❤️", "```", "~~~", "``", "~", "> ", "\\`", "\u200b", "\u200d", "\ufeff", "\u202e", "\v", "\u2028", "\xff",
}
