package chat

import (
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
