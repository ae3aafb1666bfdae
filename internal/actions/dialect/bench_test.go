package dialect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions/dialect"
)

// reply is an ordinary answer: prose, code, and a block now and then.
const reply = "Here is what I found about the release. The notes are long, so I only list the changes that matter.\n\n" +
	"- `render` keeps fences whole\n- the parser is linear\n\n```go\nfmt.Println(\"done\")\n```\n\n" +
	`<discord-action>{"type":"taskShow","taskId":"ws-014","note":"braces } in { strings"}</discord-action>` + "\n\nMore below.\n\n"

func ofSize(piece string, size int) string {
	return strings.Repeat(piece, size/len(piece)+1)[:size]
}

// BenchmarkParse shows the cost of a byte, which should not depend on how many
// there are.
func BenchmarkParse(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 100 << 10, 1 << 20, 10 << 20} {
		text := ofSize(reply, size)
		b.Run(fmt.Sprintf("reply/%dKB", size>>10), func(b *testing.B) {
			benchmarkParse(b, text)
		})
	}
	b.Run("prose/10KB", func(b *testing.B) { benchmarkParse(b, ofSize("Nothing to do here, only words. ", 10<<10)) })
}

func BenchmarkVisible(b *testing.B) {
	p := dialect.New(accepted, dialect.Blocks())
	text := ofSize(reply, 4<<10)
	b.ReportAllocs()
	for b.Loop() {
		p.Visible(text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)), "ns/B")
}

func benchmarkParse(b *testing.B, text string) {
	p := dialect.New(accepted, dialect.Blocks())
	b.ReportAllocs()
	for b.Loop() {
		p.Parse(text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)), "ns/B")
}

// BenchmarkGrowth takes each hostile text with 1,000 pieces and with 100,000, and
// reports how much more a byte costs in the long one. Linear work stays near 1,
// quadratic work would show 100.
func BenchmarkGrowth(b *testing.B) {
	p := dialect.New(accepted, dialect.Blocks())
	for _, h := range hostile {
		name := strings.ReplaceAll(h.name, " ", "_")
		b.Run("Parse/"+name, func(b *testing.B) {
			benchmarkGrowth(b, func(text string) { p.Parse(text) }, h)
		})
		b.Run("Visible/"+name, func(b *testing.B) {
			benchmarkGrowth(b, func(text string) { p.Visible(text) }, h)
		})
	}
}

func benchmarkGrowth(b *testing.B, work func(string), h hostileText) {
	short, long := h.text(1_000), h.text(100_000)
	repeats := len(long) / len(short)
	var shortTime, longTime time.Duration
	for b.Loop() {
		start := time.Now()
		for range repeats {
			work(short)
		}
		middle := time.Now()
		work(long)
		shortTime += middle.Sub(start)
		longTime += time.Since(middle)
	}
	ratio := float64(longTime) / float64(shortTime) * float64(repeats*len(short)) / float64(len(long))
	b.ReportMetric(ratio, "x-per-byte")
	b.ReportMetric(float64(longTime.Nanoseconds())/float64(b.N)/float64(len(long)), "ns/B")
	b.ReportMetric(0, "ns/op") // says nothing here
}
