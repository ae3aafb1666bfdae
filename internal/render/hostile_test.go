package render_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/render"
)

// A hostileText is hard to split, or makes a careless splitter take quadratic
// time. It has n pieces.
type hostileText struct {
	name string
	text func(n int) string
}

var hostile = []hostileText{
	{"prose", repeat("Only words, in paragraphs of one line each, as people write them.\n\n")},
	{"letters", repeat("x")},
	{"words", repeat("x ")},
	{"lines", repeat("x\n")},
	{"blank lines", before("x", repeat("\n"))},
	{"blank lines in code", before("x", after("```\n", repeat("\n")))},
	{"blanks", before("x", repeat(" "))},
	{"blanks in code", before("x", after("```\n", repeat(" ")))},
	{"wide blanks", before("x", repeat("\u3000"))},
	{"emoji", repeat("👩‍👩‍👧")},
	{"flags", repeat("🇩🇪")},
	{"marks", repeat("\u0301")},
	{"joiners", repeat("\u200d")},
	{"broken bytes", repeat("\xff\xf0\x9f")},
	{"code", after("```go\n", repeat("x := 1\n"))},
	{"a line of code", after("```go\n", repeat("x"))},
	{"a line of code with backticks", after("```go\n", repeat("x```"))},
	{"wide code", after(strings.Repeat("~", 900)+"\n", repeat("x\n"))},
	{"a marker", repeat("`")},
	{"markers", repeat("```\n")},
	{"markers in prose", repeat("a ``` ")},
	{"markers of all widths", growing("`", "x\n")},
	{"markers wider and wider", growing("~", "\n")},
	{"an info string", after("```", repeat("x"))},
	{"words of an info string", after("~~~", repeat(" ~~~ x"))},
	{"info strings", repeat("```" + strings.Repeat("x", 300) + "\n")},
	{"code that is none", before("`", after("```", repeat("x")))},
	{"line ends", repeat("\r\n\r")},
}

func repeat(piece string) func(int) string {
	return func(n int) string { return strings.Repeat(piece, n) }
}

func after(head string, tail func(int) string) func(int) string {
	return func(n int) string { return head + tail(n) }
}

func before(tail string, head func(int) string) func(int) string {
	return func(n int) string { return head(n) + tail }
}

// growing has runs of one to k characters, about n characters in all.
func growing(char, between string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for k := 1; b.Len() < n; k++ {
			b.WriteString(strings.Repeat(char, k) + between)
		}
		return b.String()
	}
}

func TestHostileTextsAreRendered(t *testing.T) {
	t.Parallel()
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 500, 1999, 2001, 6000} {
				requireChunks(t, h.text(n))
				requirePreview(t, h.text(n), "12 s")
			}
		})
	}
}

// BenchmarkGrowth takes each text with 1,000 pieces and with 100,000, and reports
// how much more a byte costs in the long one. Linear work stays near 1, quadratic
// work would show 100.
func BenchmarkGrowth(b *testing.B) {
	for _, h := range hostile {
		name := strings.ReplaceAll(h.name, " ", "_")
		b.Run("Chunks/"+name, func(b *testing.B) {
			benchmarkGrowth(b, func(text string) { render.Chunks(text) }, h)
		})
		b.Run("Preview/"+name, func(b *testing.B) {
			benchmarkGrowth(b, func(text string) { render.Preview(text, "12 s") }, h)
		})
	}
}

func benchmarkGrowth(b *testing.B, work func(string), h hostileText) {
	short, long := h.text(1_000), h.text(100_000)
	repeats := max(1, len(long)/len(short))
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
