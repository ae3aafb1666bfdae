package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/turn/render"
)

// pieces are what Markdown is made of, and what splitting it goes wrong with.
var pieces = []string{
	"```", "```go\n", "```\n", "\n```\n", "````", "`````\n", "~~~", "~~~ text\n", "\n~~~\n", "`", "~", "``", "   ```\n", "    ```\n", "\t```\n",
	"> ", "- ", "# ", "\n", "\n\n", "\n\n\n\n", "\r\n", "\r", " ", "   ", "    ", "\t", "\u00a0", "\u3000", "\u2028", "\v",
	"word", "words in a line ", "A sentence, and its end.\n", "func main() {\n\tprintln(1)\n}\n",
	"é", "e\u0301", "🔥", "👩‍👩‍👧", "🇩🇪", "👍🏽", "\u200d", "\u0301", "漢字", "\xff", "\xf0\x9f", "\ufeff",
}

// drawText repeats some pieces so often that they fill a few messages.
func drawText(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, "runs") {
		part := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 4).Draw(t, "part"), "")
		b.WriteString(strings.Repeat(part, min(drawTimes(t), 1+6000/len(part))))
	}
	return b.String()
}

// drawTimes is mostly small, sometimes so that a message is just full.
func drawTimes(t *rapid.T) int {
	return rapid.OneOf(rapid.IntRange(1, 3), rapid.IntRange(1, 300), rapid.IntRange(640, 680), rapid.IntRange(1970, 2010)).Draw(t, "times")
}

func TestChunksOfRandomTextsKeepTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { requireChunks(t, drawText(t)) })
}

// TestCodeStaysCode takes texts of ordinary lines, of which none has to be cut.
func TestCodeStaysCode(t *testing.T) {
	t.Parallel()
	line := rapid.OneOf(
		rapid.SampledFrom([]string{"", "", "```", "```go", "````", "````md title", "~~~", "~~~~ diff", "   ```", "    ```", "```x```"}),
		rapid.Map(rapid.IntRange(1, 800), func(n int) string { return strings.Repeat("wörd ", n/5) + "end" }),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 0, 40).Draw(t, "lines"), "\n")
		requireChunks(t, text)
		var code, prose []string
		for _, chunk := range render.Chunks(text) {
			c, p := sorted(chunk)
			code, prose = append(code, c...), append(prose, p...)
		}
		wantCode, wantProse := sorted(text)
		if diff := cmp.Diff(wantCode, code); diff != "" {
			t.Fatalf("code (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wantProse, prose); diff != "" {
			t.Fatalf("prose (-want +got):\n%s", diff)
		}
	})
}

// sorted are the lines of text that say something, in code and outside. Fences
// are neither.
func sorted(text string) (code, prose []string) {
	above := ""
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		below := openFence(strings.Join(lines[:i+1], "\n"))
		switch {
		case above != below || strings.TrimSpace(line) == "":
		case above != "":
			code = append(code, line)
		default:
			prose = append(prose, strings.TrimRight(line, " "))
		}
		above = below
	}
	return code, prose
}

func TestPreviewsOfRandomTextsKeepTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { requirePreview(t, drawText(t), drawText(t)) })
}

func TestPartsOfRandomReportsStayOutOfCode(t *testing.T) {
	t.Parallel()
	part := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6), func(s []string) string { return strings.Join(s, "") })
	parts := rapid.SliceOfN(part, 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		body, lines, notices := part.Draw(t, "body"), parts.Draw(t, "lines"), parts.Draw(t, "notices")
		got := render.Report(body, append(lines, "Done: a line"), append(notices, "A notice."))
		above, _, found := strings.Cut(got, "Done: a line")
		if !found || openFence(above) != "" {
			t.Fatalf("result line in code, or not at all, in %q", got)
		}
		above, found = strings.CutSuffix(got, "\n\nA notice.")
		if !found || openFence(above) != "" {
			t.Fatalf("notice in code, or not at all, in %q", got)
		}
	})
}

// seeds are texts that cover much and are short enough to be varied quickly.
func seeds() []string {
	var all []string
	for _, h := range hostileTexts {
		text := h.text(2500)
		all = append(all, text[:min(len(text), 4000)])
	}
	return all
}

func FuzzChunks(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { requireChunks(t, text) })
}

func FuzzPreview(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text, "12 s")
	}
	f.Fuzz(func(t *testing.T, text, status string) { requirePreview(t, text, status) })
}
