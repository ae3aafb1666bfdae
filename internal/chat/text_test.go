package chat

import (
	"slices"
	"testing"
	"unicode/utf16"
)

func TestLengthCountsAsDiscordDoes(t *testing.T) {
	for _, s := range []string{"", "plain", "grüße", "🔥", "a🔥b👩‍👩‍👧", "\uFEFF", "bad \xff byte"} {
		if got, want := Length(s), len(utf16.Encode([]rune(s))); got != want {
			t.Errorf("Length(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestClipCutsBetweenCharacters(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"🔥🔥🔥", 2, "🔥🔥…"}, {"a\xffb", 2, "a\xff…"}, {"abc", 0, "…"},
	} {
		if got := Clip(tt.in, tt.most); got != tt.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}

func TestShortenCountsTheMark(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"ab cd", 4, "ab…"}, {"🔥🔥🔥", 6, "🔥🔥🔥"}, {"🔥🔥🔥", 5, "🔥🔥…"}, {"🔥🔥🔥", 4, "🔥…"},
	} {
		if got := Shorten(tt.in, tt.most); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}

func TestCutSaysWhatIsMissing(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc\n… (1 more characters left out; ask for less)"},
		{"🔥🔥🔥", 5, "🔥🔥\n… (2 more characters left out; ask for less)"},
		{"one\ntwo\nthree\nfour", 10, "one\ntwo\n… (2 lines more, 10 characters, left out; ask for less)"},
		{"one\ntwo\nthree", 8, "one\ntwo\n… (1 line more, 5 characters, left out; ask for less)"},
		{"a\nlong line without an end", 12, "a\nlong line \n… (14 more characters left out; ask for less)"},
		{"ab\xff\xff", 3, "ab\xff\n… (1 more characters left out; ask for less)"},
	} {
		if got := Cut(tt.in, tt.most); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}

// everyEnd has every character that may be shown as a line break.
const everyEnd = "a\nb\r\nc\rd\ve\ff\u0085g\u2028h\u2029i"

func TestForeignTextIsEscaped(t *testing.T) {
	for _, tt := range []struct{ name, in, line, brackets, literal, code string }{
		{"nothing", "", "", "", "", "``"},
		{"blank space", " \t\n\u00a0\u3000 ", "", "", "", "``"},
		{"words", "  two   words ", "two words", "two words", "two words", "`two words`"},
		{"every kind of line break", everyEnd, "a b c d e f g h i", "a b c d e f g h i", "a b c d e f g h i", "`a b c d e f g h i`"},
		{"brackets", "ada]: no [b", "ada]: no [b", "ada): no (b", `ada\]: no \[b`, "`ada]: no [b`"},
		{"a mention", "<@1> *ok*", "<@1> *ok*", "<@1> *ok*", `\<@1\> \*ok\*`, "`<@1> *ok*`"},
		{"marks", `_a_ ~~b~~ ||c||`, `_a_ ~~b~~ ||c||`, `_a_ ~~b~~ ||c||`, `\_a\_ \~\~b\~\~ \|\|c\|\|`, "`_a_ ~~b~~ ||c||`"},
		{"a backslash before a mark", `\*a`, `\*a`, `\*a`, `\\\*a`, "`\\*a`"},
		{"code", "``x`", "``x`", "``x`", "\\`\\`x\\`", "`''x'`"},
		{"a link", "[Approve](https://x.y)", "[Approve](https://x.y)", "(Approve)(https://x.y)", `\[Approve\](https://x.y)`, "`[Approve](https://x.y)`"},
		{"what is hidden", "a\u202eb\u200bc", "abc", "abc", "abc", "`abc`"},
		{"bytes that are no text", "a\xff\nb", "a\xff b", "a\xff b", "a\xff b", "`a\xff b`"},
	} {
		for _, f := range []struct {
			name      string
			got, want string
		}{
			{"OneLine", OneLine(tt.in), tt.line},
			{"InBrackets", InBrackets(tt.in), tt.brackets},
			{"Literal", Literal(tt.in), tt.literal},
			{"InCode", InCode(tt.in), tt.code},
		} {
			if f.got != f.want {
				t.Errorf("%s: %s(%q) = %q, want %q", tt.name, f.name, tt.in, f.got, f.want)
			}
		}
	}
}

func TestLinesSplitAtEveryKindOfLineBreak(t *testing.T) {
	for in, want := range map[string][]string{
		"":           {""},
		"one":        {"one"},
		everyEnd:     {"a", "b", "c", "d", "e", "f", "g", "h", "i"},
		"a\n\r\nb\r": {"a", "", "b", ""},
	} {
		if got := Lines(in); !slices.Equal(got, want) {
			t.Errorf("Lines(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSlips(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"general", "genral", 1}, {"büro", "buro", 1}, {"", "xyz", 3}, {"kitten", "sitting", 3}} {
		if got := Slips(tt.a, tt.b); got != tt.want || Slips(tt.b, tt.a) != tt.want {
			t.Errorf("Slips(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
