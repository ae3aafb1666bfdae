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
