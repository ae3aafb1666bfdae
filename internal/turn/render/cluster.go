package render

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxClusterBytes is how many bytes a cut is moved at most to keep a character whole. A
// family of emoji has about thirty; longer ones are made to be a nuisance.
const maxClusterBytes = 100

// afterCluster is at, or the end of the character that it is inside of.
func afterCluster(s string, at int) int {
	for i := range s[at:min(len(s), at+maxClusterBytes)] {
		if !insideCluster(s, at+i) {
			return at + i
		}
	}
	return at
}

// insideCluster reports whether what stands before and after the offset is seen as
// one character. It knows marks, emoji joined or altered by others, and flags; the
// finer rules of Unicode concern scripts that have spaces to cut at.
func insideCluster(s string, at int) bool {
	const joiner = '\u200D'
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	switch {
	case before == joiner || after == joiner || unicode.Is(unicode.M, after):
		return true
	case after >= 0x1F3FB && after <= 0x1F3FF: // skin tones
		return true
	case after >= 0xE0020 && after <= 0xE007F: // tags, as in the flag of Wales
		return true
	}
	return isFlagHalf(after) && flagHalvesBefore(s[:at])%2 == 1
}

// isFlagHalf reports whether r is a regional indicator. Two of them are a flag.
func isFlagHalf(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

func flagHalvesBefore(s string) int {
	others := strings.TrimRightFunc(s, isFlagHalf)
	return utf8.RuneCountInString(s[len(others):])
}
