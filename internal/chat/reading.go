package chat

import (
	"slices"
	"strings"
	"unicode"
)

// A Reading is what a turn has read of outside texts. A nil one drops what is added.
type Reading struct {
	direct Sources
	retold []retold
}

// A retold is an earlier answer of the bot that was written after outside texts had been read.
type retold struct {
	text string
	of   Sources
}

// Add adds sources that the turn has read itself.
func (r *Reading) Add(more ...Sources) {
	if r != nil {
		r.direct.Add(more...)
	}
}

// AddRetold adds the sources of an earlier answer of the bot, which may repeat them.
func (r *Reading) AddRetold(answer string, of Sources) {
	if r != nil && of != "" {
		r.retold = append(r.retold, retold{answer, of})
	}
}

// All returns everything that was read.
func (r *Reading) All() Sources {
	all := r.direct
	for _, earlier := range r.retold {
		all.Add(earlier.of)
	}
	return all
}

// In returns what may be in an answer: what the turn has read itself, and of earlier answers what this one repeats.
// If all of them counted, a conversation that had once been about a file would be about it for ever.
func (r *Reading) In(answer string) Sources {
	in := r.direct
	for _, earlier := range r.retold {
		if repeats(answer, earlier.text) {
			in.Add(earlier.of)
		}
	}
	return in
}

const (
	repeated = 16 // letters and digits in a row that are a repetition
	shortest = 6  // the same, if that is all that one of the texts has: "Ban zed!"
)

// repeats reports whether two texts have a passage in common, whatever stands between its letters.
func repeats(text, earlier string) bool {
	short, long := letters(text), letters(earlier)
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) < repeated {
		return len(short) > 0 && slices.Equal(short, long) || len(short) >= shortest && strings.Contains(string(long), string(short))
	}
	known := map[string]bool{}
	for at := 0; at+repeated <= len(long); at++ {
		known[string(long[at:at+repeated])] = true
	}
	for at := 0; at+repeated <= len(short); at++ {
		if known[string(short[at:at+repeated])] {
			return true
		}
	}
	return false
}

// letters returns the letters and digits of a text, in small letters.
func letters(text string) []rune {
	return []rune(strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, text))
}
