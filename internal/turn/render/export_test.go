package render

// Cuts is how many steps Chunks takes. Each looks at no more than a message can hold,
// and at blanks that are gone afterwards; so they are the work that splitting takes.
func Cuts(text string) int {
	s := splitter{rest: withoutBlankLines(tidy(text))}
	n := 0
	for ; s.rest != ""; n++ {
		s.next()
	}
	return n
}
