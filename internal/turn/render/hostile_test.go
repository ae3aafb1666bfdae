package render_test

import (
	"strings"
	"testing"

	"discoclaw/internal/test/hostile"
	"discoclaw/internal/turn/render"
)

// hostileTexts are hard to split, or make a careless splitter take quadratic time.
var hostileTexts = []struct {
	name string
	text hostile.Text
}{
	{"prose", hostile.Repeat("Only words, in paragraphs of one line each, as people write them.\n\n")},
	{"letters", hostile.Repeat("x")},
	{"words", hostile.Repeat("x ")},
	{"lines", hostile.Repeat("x\n")},
	{"blank lines", hostile.Before("x", hostile.Repeat("\n"))},
	{"blank lines in code", hostile.Before("x", hostile.After("```\n", hostile.Repeat("\n")))},
	{"blanks", hostile.Before("x", hostile.Repeat(" "))},
	{"blanks in code", hostile.Before("x", hostile.After("```\n", hostile.Repeat(" ")))},
	{"wide blanks", hostile.Before("x", hostile.Repeat("\u3000"))},
	{"emoji", hostile.Repeat("👩‍👩‍👧")},
	{"flags", hostile.Repeat("🇩🇪")},
	{"marks", hostile.Repeat("\u0301")},
	{"joiners", hostile.Repeat("\u200d")},
	{"broken bytes", hostile.Repeat("\xff\xf0\x9f")},
	{"code", hostile.After("```go\n", hostile.Repeat("x := 1\n"))},
	{"a line of code", hostile.After("```go\n", hostile.Repeat("x"))},
	{"a line of code with backticks", hostile.After("```go\n", hostile.Repeat("x```"))},
	{"wide code", hostile.After(strings.Repeat("~", 900)+"\n", hostile.Repeat("x\n"))},
	{"a marker", hostile.Repeat("`")},
	{"markers", hostile.Repeat("```\n")},
	{"markers in prose", hostile.Repeat("a ``` ")},
	{"markers of all widths", hostile.Growing("`", "x\n")},
	{"markers wider and wider", hostile.Growing("~", "\n")},
	{"an info string", hostile.After("```", hostile.Repeat("x"))},
	{"words of an info string", hostile.After("~~~", hostile.Repeat(" ~~~ x"))},
	{"info strings", hostile.Repeat("```" + strings.Repeat("x", 300) + "\n")},
	{"code that is none", hostile.Before("`", hostile.After("```", hostile.Repeat("x")))},
	{"line ends", hostile.Repeat("\r\n\r")},
	{"rows", hostile.After("|a|b|\n|-|-|\n", hostile.Repeat("|1|2|\n"))},
	{"rows that stay", hostile.Before("|<@1>|", hostile.Repeat("|-|-|\n"))},
	{"lines of dashes", hostile.Repeat("|-|-|\n")},
	{"cells", hostile.After("|a|b|\n|-|-|\n", hostile.Repeat("|"))},
	{"columns", hostile.Repeat("|-")},
	{"flags in a cell", hostile.After("|a|b|\n|-|-|\n|", hostile.Repeat("🇩🇪"))},
}

func TestHostileTextsAreRendered(t *testing.T) {
	t.Parallel()
	for _, h := range hostileTexts {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 500, 1999, 2001, 6000} {
				requireChunks(t, h.text(n))
				requirePreview(t, h.text(n), "12 s")
			}
		})
	}
}

func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	if !hostile.Counted(t, "*.go", "../../chat/text.go") {
		return
	}
	for _, h := range hostileTexts {
		t.Run("Chunks/"+h.name, func(t *testing.T) { hostile.RequireLinear(t, h.text, func(text string) { render.Chunks(text) }) })
		t.Run("Preview/"+h.name, func(t *testing.T) {
			hostile.RequireLinear(t, h.text, func(text string) { render.Preview(text, "12 s") })
		})
		t.Run("Tables/"+h.name, func(t *testing.T) { hostile.RequireLinear(t, h.text, func(text string) { render.Tables(text) }) })
	}
}

func BenchmarkGrowth(b *testing.B) {
	for _, h := range hostileTexts {
		b.Run("Chunks/"+h.name, func(b *testing.B) {
			hostile.Growth(b, h.text, func(text string) { render.Chunks(text) })
		})
		b.Run("Preview/"+h.name, func(b *testing.B) {
			hostile.Growth(b, h.text, func(text string) { render.Preview(text, "12 s") })
		})
	}
}
