package memory

import (
	"strings"
	"sync"
	"unicode"
)

// words returns the words of a text that may say what it is about. Scripts without spaces have pairs of letters
// instead.
func words(text string) map[string]bool {
	found := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		letters := []rune(word)
		if unicode.In(letters[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			for i := range len(letters) - 1 {
				found[string(letters[i:i+2])] = true
			}
			continue
		}
		if len(letters) >= 3 && !stopWords()[word] {
			found[word] = true
		}
	}
	return found
}

// stopWords say nothing about a text.
var stopWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`about above after again all also and any are because been before being below between both but can could did does doing
		down during each few for from further had has have having her here hers him his how into its itself just like make more most much not now off
		once one only other our ours out over own please same she should some such tell than that the their theirs them then there these they this
		those through too under until very was want were what when where which while who whom whose why will with would you your yours`) {
		all[w] = true
	}
	return all
})
