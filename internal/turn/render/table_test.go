package render_test

import (
	"strings"
	"testing"

	"discoclaw/internal/turn/render"
)

func TestTablesBecomeCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"a table", "Here:\n\n| Name | Score |\n|---|---:|\n| ada | 12 |\n| **jonas** | `5` |\n\nBye.",
			"Here:\n\n```\nName   Score\n-----  -----\nada       12\njonas      5\n```\n\nBye."},
		{"without pipes at the sides", "a | b\n--- | ---\n1 | 2", "```\na  b\n-  -\n1  2\n```"},
		{"one column", "| a |\n|---|\n| long |", "```\na\n----\nlong\n```"},
		{"missing and surplus cells", "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |", "```\na  b\n-  -----\n1\n1  2 | 3\n```"},
		{"wide characters", "| 名前 | x |\n|---|---|\n| 漢字漢字 | 1 |\n| 👍🏽 | 2 |\n| é | 3 |",
			"```\n名前      x\n--------  -\n漢字漢字  1\n👍🏽        2\né         3\n```"},
		{"an escaped pipe and a line break", `| a | b |` + "\n|---|---|\n" + `| x\|y | 1<br>2 |`, "```\na    b\n---  ----\nx|y  1; 2\n```"},
		{"a long cell pushes the rest", "| a | b |\n|---|---|\n| " + of(40, "x") + " | 1 |\n| y | 2 |", "```\na  b\n-  -\n" + of(40, "x") + "  1\ny  2\n```"},
		{"only the beginning of a table", "| a | b |\n|---|---|", "```\na  b\n-  -\n```"},
		{"within a list", "- x\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n- y", "- x\n```\na  b\n-  -\n1  2\n```\n- y"},
		{"text below", "| a | b |\n|---|---|\n| 1 | 2 |\nDone: moved it", "```\na  b\n-  -\n1  2\n```\nDone: moved it"},

		{"in code", "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```", "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```"},
		{"in a quote", "> | a | b |\n> |---|---|\n> | 1 | 2 |", "> | a | b |\n> |---|---|\n> | 1 | 2 |"},
		{"with a mention", "| a | b |\n|---|---|\n| <@123> | 2 |", "| a | b |\n|---|---|\n| <@123> | 2 |"},
		{"with a link", "| a | b |\n|---|---|\n| [x](https://example.com) | 2 |", "| a | b |\n|---|---|\n| [x](https://example.com) | 2 |"},
		{"not as many dashes", "| a | b |\n|---|\n| 1 | 2 |", "| a | b |\n|---|\n| 1 | 2 |"},
		{"no line of dashes", "a | b\nc | d", "a | b\nc | d"},
		{"a heading above a line", "a\n---\nb | c", "a\n---\nb | c"},
		{"spoilers", "||hidden||\n---", "||hidden||\n---"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := render.Tables(tt.in); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// TestTablesGrowWithinBounds: padding many short cells to the width of one makes a text no more than a
// few times as long.
func TestTablesGrowWithinBounds(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("|"+of(30, "x"), 50) + "\n" + strings.Repeat("|-", 50) + "\n" + strings.Repeat(of(50, "|")+"y\n", 500)
	if got := len(render.Tables(text)); got > 8*len(text) {
		t.Errorf("%d bytes became %d", len(text), got)
	}
}

func TestATableGrowsInItsPreview(t *testing.T) {
	t.Parallel()
	whole := "| Name | Score |\n|---|---|\n| ada | 12 |\n| jonas | 5 |"
	begins := strings.Index(whole, "| ada")
	for end := begins; end <= len(whole); end++ {
		if got := render.Preview(whole[:end], ""); !strings.HasPrefix(got, "```\nName ") || !strings.HasSuffix(got, "\n```") {
			t.Errorf("after %q: %q", whole[:end], got)
		}
	}
}
