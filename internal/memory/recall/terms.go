package recall

import (
	"slices"

	"discoclaw/internal/memory/words"
)

// maxTerms is how many words of a question are looked for.
const maxTerms = 12

// terms returns the words of a question that are looked for, quoted for the full-text index.
func terms(text string) (list []string) {
	for _, w := range words.Telling(text) {
		if term := `"` + w + `"`; !slices.Contains(list, term) && len(list) < maxTerms {
			list = append(list, term)
		}
	}
	return list
}
