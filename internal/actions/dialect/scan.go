package dialect

import (
	"iter"
	"slices"
	"strings"
)

// openings yields the offsets of a character.
func openings(text string, char byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			i := strings.IndexByte(text[at:], char)
			if i < 0 || !yield(at+i) {
				return
			}
			at += i
		}
	}
}

// follow reads a tag at i by its form, which is in small letters and has "~" where white space may stand. Case makes no
// difference. If the text ends first, the tag is partial.
func follow(text string, i int, form string) (end int, whole, partial bool) {
	for k := range len(form) {
		if form[k] == '~' {
			i = skipSpace(text, i)
			continue
		}
		if i == len(text) {
			return i, false, true
		}
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != form[k] {
			return i, false, false
		}
		i++
	}
	return i, true, false
}

// find returns the first such tag at or behind an offset.
func find(text string, at int, form string) (Span, bool) {
	for i := range openings(text[at:], form[0]) {
		if end, whole, _ := follow(text, at+i, form); whole {
			return Span{at + i, end}, true
		}
	}
	return Span{}, false
}

// namesIn are the keys of a table, in order.
func namesIn[T any](table map[string]T) []string {
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
