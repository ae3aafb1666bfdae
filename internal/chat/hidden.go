package chat

import (
	"strings"
	"unicode"
)

// hidden are characters that nobody sees, or that turn the text around them: bidirectional controls, zero-width
// characters, tags and variation selectors. Some of them are needed inside emoji and in some scripts; see needed.
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1}, {Lo: 0x034F, Hi: 0x034F, Stride: 1}, {Lo: 0x061C, Hi: 0x061C, Stride: 1},
		{Lo: 0x180E, Hi: 0x180E, Stride: 1}, {Lo: 0x200B, Hi: 0x200F, Stride: 1}, {Lo: 0x202A, Hi: 0x202E, Stride: 1},
		{Lo: 0x2060, Hi: 0x206F, Stride: 1}, {Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, {Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1},
	},
	R32:         []unicode.Range32{{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}},
	LatinOffset: 1,
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
	asText    = '\ufe0e'
	asEmoji   = '\ufe0f'
)

// joining are the scripts in which joiners and non-joiners belong to the spelling of words.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
}

// Visible takes out of a text from outside what nobody sees: characters that hide words, turn their direction, or
// break up a word that a program looks for. Markers have to be looked for afterwards.
func Visible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return unicode.Is(hidden, r) }) < 0 {
		return s
	}
	var b strings.Builder
	text := []rune(s)
	before := rune(-1) // the latest that was kept
	for i, r := range text {
		after := rune(-1)
		if i+1 < len(text) {
			after = text[i+1]
		}
		if unicode.Is(hidden, r) && !needed(before, r, after) {
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// needed reports whether a hidden character belongs to its neighbours: 👩‍🚀, ❤️ and 1️⃣ have some, and so have words of
// Persian and Hindi.
func needed(before, r, after rune) bool {
	switch r {
	case asText, asEmoji:
		if before <= unicode.MaxASCII { // brackets and hyphens are parts of markers
			return strings.ContainsRune("0123456789#*", before)
		}
		return !unicode.Is(hidden, before) && (before == 'ℹ' || !unicode.IsLetter(before)) && !unicode.IsSpace(before)
	case joiner, nonJoiner:
		emoji := r == joiner && (before == asEmoji || unicode.In(before, unicode.So, unicode.Sk)) && unicode.Is(unicode.So, after)
		return emoji || before >= 0 && unicode.In(before, joining...) && unicode.In(after, joining...)
	}
	return false
}
