package actions

import (
	"slices"
	"testing"
)

// TestTheWordsOfATitleThatTellMostComeFirst: of its first three words, the reader was told that a title is like “the”.
func TestTheWordsOfATitleThatTellMostComeFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, title string
		want        []string
	}{
		{"and for the boat? the caulking of the hull is done", "The wax for the caulking of the hull", []string{`"caulking"`, `"hull"`, `"the"`}},
		{"close the VPN one", "Fix VPN", []string{`"VPN"`}},
		{"hello", "Fix VPN", nil},
	} {
		if got := likeWords(tt.text, tt.title); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %q: %v, want %v", tt.title, tt.text, got, tt.want)
		}
	}
}
