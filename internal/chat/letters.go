package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Letters returns the letters and digits of a name, which is the same for names that differ only in
// case, emoji, dividers and fonts: "📢︱announcements" has those of "Announcements".
func Letters(s string) string { return strings.ReplaceAll(Words(s), " ", "") }

// Words returns the letters and digits of a text in lower case, with a space in place of whatever is
// between them.
func Words(s string) string {
	var words strings.Builder
	for {
		r, rest, apart := nextLetter(s)
		if r < 0 {
			return words.String()
		}
		if apart && words.Len() > 0 {
			words.WriteByte(' ')
		}
		words.WriteRune(r)
		s = rest
	}
}

// nextLetter returns the first letter or digit of a text, folded, or -1 if there is none, and what
// follows it. Apart says that something else stood before it.
func nextLetter(s string) (r rune, rest string, apart bool) {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		if emoji := strings.TrimPrefix(s, "\uFE0F"); len(emoji) < len(s) { // ℹ️ and 1️⃣ begin with a letter and a digit
			s, apart = emoji, true
			continue
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc) && !unicode.Is(unicode.Variation_Selector, r) {
			return fold(plain(r)), s, apart
		}
		apart = true
	}
	return -1, "", apart
}

// plain returns a letter in the usual font. Names are decorated with mathematical and with full-width
// letters.
func plain(r rune) rune {
	switch {
	case r >= 0x1D400 && r < 0x1D6A4: // A to Z and a to z in thirteen fonts
		i := (r - 0x1D400) % 52
		if i < 26 {
			return 'A' + i
		}
		return 'a' + i - 26
	case r >= 0x1D7CE && r <= 0x1D7FF:
		return '0' + (r-0x1D7CE)%10
	case r >= 0xFF10 && r <= 0xFF5A:
		return r - 0xFF10 + '0'
	}
	return r
}

// fold returns the same character for all that strings.EqualFold takes for one.
func fold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}
