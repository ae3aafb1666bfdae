package discord

import (
	"strings"
	"testing"
)

// TestNamesAreComparedAsWithAReplacer, which is simpler but allocates three strings.
func TestNamesAreComparedAsWithAReplacer(t *testing.T) {
	t.Parallel()
	tidy := strings.NewReplacer(" ", "-", "_", "-", "\uFE0F", "")
	names := []string{
		"", "-", " ", "_", "--", "big-news", "Big News", "BIG_NEWS", "big news ", "bignews", "big-new", "big-newss",
		"straße", "STRASSE", "STRAẞE", "ſtop", "stop", "STOP", "\u212Aelvin", "kelvin", "ÉCOLE", "école", "Σ", "σ", "ς", "İ", "i", "ı",
		"❤", "❤\uFE0F", "\uFE0F", "❤\uFE0F-news", "❤ news", "👍🏽", "👍", "\xff", "\ufffd", "a\xffb",
	}
	for _, a := range names {
		for _, b := range names {
			if got, want := sameLoosely(a, b), strings.EqualFold(tidy.Replace(a), tidy.Replace(b)); got != want {
				t.Errorf("%q and %q: %v, want %v", a, b, got, want)
			}
		}
	}
}
