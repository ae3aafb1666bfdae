package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/render"
)

// of is a text of n characters.
func of(n int, char string) string { return strings.Repeat(char, n) }

// wales is one flag of seven characters.
const wales = "🏴\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F"

func TestChunks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"white space", " \n\t\r\n\u00a0", nil},
		{"a short text", "Hello.\n\nBye.", []string{"Hello.\n\nBye."}},
		{"white space around", "\n \n  Hello. \n\n", []string{"  Hello."}},
		{"other line ends", "a\r\nb\rc\r\n", []string{"a\nb\nc"}},
		{"just full", of(2000, "x"), []string{of(2000, "x")}},

		{"paragraphs", of(1200, "a") + "\n" + of(100, "b") + "\n\n" + of(600, "c") + "\n" + of(300, "d"),
			[]string{of(1200, "a") + "\n" + of(100, "b"), of(600, "c") + "\n" + of(300, "d")}},
		{"a paragraph that ends where the room does", of(1500, "a") + "\n\n" + of(498, "b") + "\n\nc",
			[]string{of(1500, "a") + "\n\n" + of(498, "b"), "c"}},
		{"lines", of(1200, "a") + "\n" + of(700, "b") + "\n" + of(50, "c "), []string{of(1200, "a") + "\n" + of(700, "b"), strings.TrimSpace(of(50, "c "))}},
		{"words", of(150, "a word of many ") + "end",
			[]string{strings.TrimSpace(of(133, "a word of many ") + "a"), "word of many " + of(16, "a word of many ") + "end"}},
		{"a paragraph that would leave the chunk half empty", of(300, "a") + "\n\n" + of(500, "b c ") + "e\n\nd",
			[]string{of(300, "a") + "\n\n" + of(424, "b c ") + "b", "c" + of(75, " b c") + " e\n\nd"}},
		{"a word that ends where the room does", of(1000, "a") + " " + of(999, "b") + " c", []string{of(1000, "a") + " " + of(999, "b"), "c"}},
		{"a long word behind short ones", "See " + of(1999, "x") + " there", []string{"See", of(1999, "x"), "there"}},
		{"no place to cut", of(4500, "x"), []string{of(2000, "x"), of(2000, "x"), of(500, "x")}},
		{"blanks at the cut", of(1990, "a") + of(40, " ") + "b", []string{of(1990, "a"), "b"}},
		{"indentation below the cut", of(1990, "a") + "\n\n  - b is long enough", []string{of(1990, "a"), "  - b is long enough"}},
		{"a blank part", "a" + of(5000, "\n") + "b", []string{"a", "b"}},

		{"characters of two units", of(1500, "🔥"), []string{of(1000, "🔥"), of(500, "🔥")}},
		{"a character of two units on the limit", "x" + of(1000, "🔥"), []string{"x" + of(999, "🔥"), "🔥"}},
		{"families", "x" + of(300, "👩‍👩‍👧"), []string{"x" + of(249, "👩‍👩‍👧"), of(51, "👩‍👩‍👧")}},
		{"flags", "xxx" + of(501, "🇩🇪"), []string{"xxx" + of(499, "🇩🇪"), of(2, "🇩🇪")}},
		{"skin tones", "xx" + of(500, "👍🏽"), []string{"xx" + of(499, "👍🏽"), "👍🏽"}},
		{"flags made of tags", "x" + of(143, wales), []string{"x" + of(142, wales), wales}},
		{"accents", "x" + of(1001, "e\u0301"), []string{"x" + of(999, "e\u0301"), of(2, "e\u0301")}},
		{"broken bytes", of(2001, "\xff"), []string{of(2000, "\xff"), "\xff"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, render.Chunks(tt.in)); diff != "" {
				t.Errorf("chunks (-want +got):\n%s", diff)
			}
			requireChunks(t, tt.in)
		})
	}
}

func TestChunksOfCode(t *testing.T) {
	t.Parallel()
	long := of(99, "x") + "\n" // a line of 100 units
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"a fence that is never closed", "```go\nx := 1\n", []string{"```go\nx := 1\n```"}},
		{"a fence goes on", "```go\n" + of(25, long) + "```\nDone.",
			[]string{"```go\n" + of(19, long) + "```", "```go\n" + of(6, long) + "```\nDone."}},
		{"tildes", "~~~ diff\n" + of(25, long) + "~~~",
			[]string{"~~~ diff\n" + of(19, long) + "~~~", "~~~ diff\n" + of(6, long) + "~~~"}},
		{"a wider fence around another", "`````md\n```\n" + of(25, long) + "```\n`````",
			[]string{"`````md\n```\n" + of(19, long) + "`````", "`````md\n" + of(6, long) + "```\n`````"}},
		{"indented fence", "  ```go\n" + of(25, long) + "  ```",
			[]string{"  ```go\n" + of(19, long) + "```", "```go\n" + of(6, long) + "  ```"}},
		{"indentation and blank lines of code", "```\n" + of(19, long) + "\n\n  y\n```",
			[]string{"```\n" + of(19, long) + "\n\n  y\n```"}},
		{"indentation and blank lines at the cut", "```\n" + of(19, long) + of(86, "x") + "\n\n\n\n\n  y\n```",
			[]string{"```\n" + of(19, long) + of(86, "x") + "\n\n\n\n\n```", "```\n  y\n```"}},
		{"the text closes the fence at the cut", "```\n" + of(1992, "x") + "\n``````\n\n  Done.",
			[]string{"```\n" + of(1992, "x") + "\n```", "  Done."}},
		{"the last line fits with its own closing fence", "```\n" + of(1992, "x") + "\n```\nDone.",
			[]string{"```\n" + of(1992, "x") + "\n```", "Done."}},
		{"no opening fence at the end", of(1985, "a") + "\n```go\n" + long + "```",
			[]string{of(1985, "a"), "```go\n" + long + "```"}},
		{"a block rather goes over as a whole", of(1500, "a") + "\n```\n" + of(9, long) + "```",
			[]string{of(1500, "a"), "```\n" + of(9, long) + "```"}},
		{"a block goes over as a whole even behind a short line", "Here comes all of it:\n```\n" + of(19, long) + of(80, "x") + "\n```\nBye.",
			[]string{"Here comes all of it:", "```\n" + of(19, long) + of(80, "x") + "\n```\nBye."}},
		{"a long line of code", "```\n" + of(4000, "x") + "\n```",
			[]string{"```\n" + of(1992, "x") + "\n```", "```\n" + of(1992, "x") + "\n```", "```\n" + of(16, "x") + "\n```"}},
		{"blanks in a long line of code", "```\n" + of(300, "x    y ") + "\n```",
			[]string{"```\n" + of(284, "x    y ") + "x   \n```", "```\n y " + of(15, "x    y ") + "\n```"}},
		{"an indented long line of code", "```\n    " + of(2000, "x") + "\n```",
			[]string{"```\n    " + of(1988, "x") + "\n```", "```\n" + of(12, "x") + "\n```"}},
		{"backticks in a long line of code", "```\n" + of(1992, "x") + "```yy\n```",
			[]string{"```\n" + of(1991, "x") + "\n```", "```\nx```yy\n```"}},
		{"backticks in a long line of prose", of(1999, "x") + " ``` yy ``` and so on",
			[]string{of(1998, "x"), "x ``` yy ``` and so on"}},
		{"four spaces are no fence", "    ```\n" + of(25, long), []string{"    ```\n" + of(19, long)[:1899], of(6, long)[:599]}},
		{"a tab is no fence", "\t```\n" + of(25, long), []string{"\t```\n" + of(19, long)[:1899], of(6, long)[:599]}},
		{"code within a line is no fence", "```x``` y\n" + of(25, long), []string{"```x``` y\n" + of(19, long)[:1899], of(6, long)[:599]}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, render.Chunks(tt.in)); diff != "" {
				t.Errorf("chunks (-want +got):\n%s", diff)
			}
			requireChunks(t, tt.in)
		})
	}
}

func TestLongInfoStringsLeaveRoomForCode(t *testing.T) {
	t.Parallel()
	code := of(400, "x := 1\n")
	for _, tt := range []struct{ name, info, again string }{
		{"kept", "go " + of(190, "x"), "go " + of(190, "x")},
		{"cut to the language", " go " + of(500, "x"), " go"},
		{"left out", of(500, "x"), ""},
		{"longer than a message", of(3000, "x"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "~~~" + tt.info + "\n" + code
			requireChunks(t, text)
			chunks := render.Chunks(text)
			last := chunks[len(chunks)-1]
			if want := "~~~" + tt.again + "\nx := 1\n"; !strings.HasPrefix(last, want) {
				t.Errorf("last chunk begins with %.300q, want %q", last, want)
			}
		})
	}
}

func TestWideFencesBecomeNarrowerRatherThanFillMessages(t *testing.T) {
	t.Parallel()
	for _, width := range []int{200, 201, 900, 999, 1000, 1001, 1999, 2000, 5000} {
		text := of(width, "`") + "\n" + of(400, "x := 1\n") + of(width, "`")
		requireChunks(t, text)
		if n, most := len(render.Chunks(text)), 4+2*chat.Length(text)/limit; n > most {
			t.Errorf("%d chunks for a fence of width %d, want at most %d", n, width, most)
		}
	}
}
