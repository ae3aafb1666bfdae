package dialect

import "unicode/utf8"

// isSpace is ECMAScript's white space, which the contract of the blocks fixes.
// unicode.IsSpace differs: it has U+0085 and lacks U+FEFF.
func isSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == '\u00A0', r == '\u1680',
		r >= '\u2000' && r <= '\u200A', r == '\u2028', r == '\u2029',
		r == '\u202F', r == '\u205F', r == '\u3000', r == '\uFEFF':
		return true
	}
	return false
}

// skipSpace returns the first offset at or after i that is not white space.
func skipSpace(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isSpace(r) {
			break
		}
		i += size
	}
	return i
}

// wholeRunes returns the text without a character at its end of which only the beginning has arrived.
func wholeRunes(text string) string {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}
