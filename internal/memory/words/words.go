// Package words finds the words of a text that say what it is about, in all scripts.
package words

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Telling returns the words of a text in lower case, without those that say nothing, and pairs of letters of scripts
// that are written without spaces.
func Telling(text string) []string {
	return slices.DeleteFunc(append(spaced(text), Pairs(text)...), func(w string) bool { return stopWords()[w] })
}

const (
	shortest = 2  // letters of a word that is looked for
	idLength = 15 // digits from which on a number is an ID
)

// spaced returns the words of a text in lower case, as far as spaces separate them.
func spaced(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M) || isSpaceless(r)
	})
	return slices.DeleteFunc(list, func(w string) bool {
		digits := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
		return len(w) < shortest && !digits || digits && len(w) >= idLength
	})
}

// Pairs returns the neighbouring letters in runs of scripts that are written without spaces, of which the index
// would make one word each.
func Pairs(text string) (list []string) {
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !isSpaceless(r) }) {
		letters := []rune(run)
		if len(letters) == 1 {
			list = append(list, run)
		}
		for i := range len(letters) - 1 {
			list = append(list, string(letters[i:i+2]))
		}
	}
	return list
}

func isSpaceless(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// stopWords are English words that are in most messages and tell nothing about them.
var stopWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`
a about after again all also am an and any anybody anyone anything are aren as at back be because been before being but by
can cannot could couldn did didn do does doesn doing don done down else ever every few for from get gets getting go goes going gonna got
had hadn has hasn have haven having he her here hers hey hi him his how however i if in into is isn it its itself just
know let lets like ll lot made make makes many may maybe me might mine more most much must my myself
need never no nor not nothing now of off oh ok okay on once one only or other our ours out over own
please put really re said same say says see she should shouldn so some somebody someone something still such sure
take tell than thank thanks that the their theirs them then there these they thing things think this those though to too
under until up us use used ve very via want wants was wasn way we well went were weren what when where which while who whom whose why
will with within without won would wouldn yeah yes yet you your yours yourself`) {
		all[w] = true
	}
	return all
})
