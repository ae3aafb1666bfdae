package discord

import (
	"unicode"
	"unicode/utf8"
)

// sameLoosely ignores how Discord normalises the names of channels, where "Big News" becomes
// big-news, and the variation selectors of emoji. It is called for every channel of a server, so it compares
// characters and allocates nothing.
func sameLoosely(a, b string) bool {
	for {
		var x, y rune
		x, a = nextLoosely(a)
		y, b = nextLoosely(b)
		if !sameFolded(x, y) {
			return false
		}
		if x < 0 {
			return true
		}
	}
}

// nextLoosely returns the first character of a name as it is compared, or -1 at its end, and the rest.
func nextLoosely(s string) (rune, string) {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch r {
		case '\uFE0F': // a variation selector
		case ' ', '_':
			return '-', s
		default:
			return r, s
		}
	}
	return -1, ""
}

// sameFolded is strings.EqualFold for one character.
func sameFolded(x, y rune) bool {
	if x == y {
		return true
	}
	if x < 0 || y < 0 {
		return false
	}
	for f := unicode.SimpleFold(x); f != x; f = unicode.SimpleFold(f) {
		if f == y {
			return true
		}
	}
	return false
}
