package chat

import (
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

// repeated is how many letters and digits in a row are a repetition: fewer than a short order has.
const repeated = 16

// repeats reports whether two texts have a passage in common, whatever stands between its letters.
func repeats(text, earlier string) bool {
	known := map[string]bool{}
	for passage := range passages(earlier) {
		known[passage] = true
	}
	for passage := range passages(text) {
		if known[passage] {
			return true
		}
	}
	return false
}

// passages yields every run of letters and digits that is long enough. A shorter text is one passage.
func passages(text string) func(yield func(string) bool) {
	letters := []rune(strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, text))
	return func(yield func(string) bool) {
		for at := 0; at+repeated <= len(letters); at++ {
			if !yield(string(letters[at : at+repeated])) {
				return
			}
		}
		if len(letters) > 0 && len(letters) < repeated {
			yield(string(letters))
		}
	}
}
