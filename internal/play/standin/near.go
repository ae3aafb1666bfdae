package standin

import (
	"cmp"
	"slices"
	"strings"
)

// mostIdeas is how many ideas an answer suggests.
const mostIdeas = 3

// nearest are the ideas that have the most in common with a text. Without anything in common they are the first ones.
func nearest(text string, direct bool) []string {
	var list []Idea
	for _, i := range Ideas {
		if i.As == "" && (i.Where == Direct) == direct {
			list = append(list, i)
		}
	}
	near := map[string]int{}
	for _, i := range list {
		near[i.Text] = likeness(text, i.Text)
	}
	slices.SortStableFunc(list, func(a, b Idea) int { return cmp.Compare(near[b.Text], near[a.Text]) })
	var texts []string
	for _, i := range list[:min(len(list), mostIdeas)] {
		texts = append(texts, i.Text)
	}
	return texts
}

// likeness is how much two texts have in common: words count most, and parts of words a little.
func likeness(a, b string) int {
	n := 10 * shared(a, b)
	parts := trigrams(b)
	for part := range trigrams(a) {
		if parts[part] {
			n++
		}
	}
	return n
}

// shared is how many words two texts have in common, by their first letters, so that "delete" and "deleting" are the same.
func shared(a, b string) (n int) {
	stems := map[string]bool{}
	for _, w := range contentWords(b) {
		stems[stem(w)] = true
	}
	for _, w := range contentWords(a) {
		if stems[stem(w)] {
			n++
			delete(stems, stem(w))
		}
	}
	return n
}

// nearness is how well words fit a title: best if they stand in it as they are.
func nearness(words, title string) int {
	const whole = 100
	if strings.Contains(strings.ToLower(title), strings.ToLower(words)) {
		return whole
	}
	return shared(words, title)
}

const stemLength = 5

func stem(w string) string { return w[:min(len(w), stemLength)] }

func trigrams(text string) map[string]bool {
	parts := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		letters := []rune(w)
		for i := 0; i+3 <= len(letters); i++ {
			parts[string(letters[i:i+3])] = true
		}
	}
	return parts
}
