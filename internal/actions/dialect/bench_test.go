package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/test/hostile"
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
	benchmark(b, ofSize(reply, 4<<10), func(text string) { p.Visible(text) })
}

func benchmarkParse(b *testing.B, text string) {
	p := dialect.New(accepted, dialect.Blocks())
	benchmark(b, text, func(text string) { p.Parse(text) })
}

// BenchmarkDialects shows what all dialects cost besides blocks alone.
func BenchmarkDialects(b *testing.B) {
	all, _ := speaking(b, "", dialect.Names...)
	none, _ := speaking(b, "", "none")
	for _, text := range []struct{ name, text string }{
		{"reply", ofSize(reply, 10<<10)},
		{"prose", ofSize("Nothing to do here, only words. ", 10<<10)},
		{"lists", ofSize("- [x] see [the docs](https://example.org) for `a[0] < b`\n", 10<<10)},
	} {
		for _, p := range []struct {
			name string
			*dialect.Parser
		}{{"blocks", none}, {"all", all}} {
			b.Run("Parse/"+text.name+"/"+p.name, func(b *testing.B) { benchmark(b, text.text, func(s string) { p.Parse(s) }) })
			b.Run("Visible/"+text.name+"/"+p.name, func(b *testing.B) { benchmark(b, text.text, func(s string) { p.Visible(s) }) })
		}
	}
}

func benchmark(b *testing.B, text string, f func(string)) {
	b.ReportAllocs()
	for b.Loop() {
		f(text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)), "ns/B")
}

func BenchmarkGrowth(b *testing.B) {
	p := dialect.New(accepted, dialect.Blocks())
	for _, h := range hostileTexts {
		b.Run("Parse/"+h.name, func(b *testing.B) {
			hostile.Growth(b, h.text, func(text string) { p.Parse(text) })
		})
		b.Run("Visible/"+h.name, func(b *testing.B) {
			hostile.Growth(b, h.text, func(text string) { p.Visible(text) })
		})
	}
}
