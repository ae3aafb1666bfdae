package chat

import (
	"regexp"
	"strings"
	"sync"
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

// secret matches the command that sets a secret. It is generous: a typo must not send a model
// what was meant for the command. People also put a mention of the bot or its role first, make a
// list or a heading of it, copy the Markdown around a command along with it, type the slash command as
// text, and write on phones that double, capitalise or widen characters. What comes after other words on a line is one
// only if it sets something.
var secret = pattern("(?im)" +
	"(?:^(?:<@[!&]?[0-9]+>|[0-9]{1,3}[.)]|[\\s`*_~|>\"'\\\\,:;#+•·‣▪●○–—…“”‘’„«»(\\[{-])*?([`*_~|]*)\\s*" + sign + "|" + sign + "(?:[ \\t]*set)?[ \\t]+\\S+[ \\t]*=)")

// pattern compiles a pattern when it is first used, so that it does not slow the start.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// sign is what the command begins with, and its name.
const sign = "(?:[!！¡❗❕‼]+|[/／](?:discoclaw)?)\\s*[sｓ][eéｅ][cｃ][rｒ][eéｅ][tｔ]"

// CutSecret reports whether a text is, or was meant to be, the command that sets a secret, and
// returns the text after the command, without the Markdown around it and without invisible characters. Such a text must
// not reach a model, a log or the database.
func CutSecret(text string) (after string, ok bool) {
	seen := strings.Map(visible, text)
	at := secret().FindStringSubmatchIndex(seen)
	if at == nil {
		return text, false
	}
	name := signed().FindStringIndex(seen[at[0]:])
	after, marks := strings.TrimSpace(seen[at[0]+name[1]:]), ""
	if at[2] >= 0 {
		marks = seen[at[2]:at[3]]
	}
	for i := range marks {
		after = strings.TrimSuffix(after, marks[i:i+1])
	}
	return after, true
}

var signed = pattern("(?i)" + sign)

// visible drops characters that cannot be seen, among them the selectors that make an emoji of an exclamation mark.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
		return -1
	}
	return r
}
