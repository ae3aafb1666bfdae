package dialect

import "strings"

// removed returns what goes with the regions. Of tidy ones, the blanks around go as well.
func removed(text string, regions []Region) []Span {
	var exact, tidy []Span
	for _, region := range regions {
		if region.Tidy && region.Instead == "" {
			tidy = append(tidy, region.Span)
		} else {
			exact = append(exact, region.Span)
		}
	}
	if tidy == nil {
		return union(nil, exact)
	}
	return union(exact, widen(text, tidy))
}

// widen adds to each span the blanks that would be left over: those behind one that follows a blank
// or begins a line, those before one that ends a line, and the whole line if it has nothing else.
func widen(text string, list []Span) []Span {
	var wide []Span
	for i := 0; i < len(list); {
		start, end := list[i].Start, skipBlanks(text, list[i].End)
		last := list[i].End
		for i++; i < len(list) && list[i].Start <= end; i++ {
			last = max(last, list[i].End)
			end = skipBlanks(text, last)
		}
		before := start
		for before > 0 && isBlank(text[before-1]) {
			before--
		}
		begins, ends := before == 0 || text[before-1] == '\n', end == len(text) || text[end] == '\n'
		switch {
		case begins && ends:
			start, last = before, min(end+1, len(text))
		case ends:
			start, last = before, end
		case begins || before < start:
			last = end
		}
		wide = append(wide, Span{start, last})
	}
	return wide
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func skipBlanks(text string, i int) int {
	for i < len(text) && isBlank(text[i]) {
		i++
	}
	return i
}

// clean removes the spans, writes what stands in their place, keeps at most one blank line between
// paragraphs, and trims. Spans and regions may reach beyond the end of the text.
func clean(text string, remove []Span, regions []Region) string {
	if len(remove) > 0 {
		var b strings.Builder
		at := 0
		for _, s := range remove {
			if s.Start >= len(text) {
				break
			}
			b.WriteString(text[at:s.Start])
			at = min(s.End, len(text))
			for ; len(regions) > 0 && regions[0].Start < at; regions = regions[1:] {
				b.WriteString(regions[0].Instead)
			}
		}
		b.WriteString(text[at:])
		text = b.String()
	}
	return strings.TrimFunc(collapseNewlines(text), isSpace)
}

// collapseNewlines makes two of three or more newlines in a row.
func collapseNewlines(text string) string {
	const tooMany = "\n\n\n"
	i := strings.Index(text, tooMany)
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i >= 0 {
		b.WriteString(text[:i+2])
		text = strings.TrimLeft(text[i+2:], "\n")
		i = strings.Index(text, tooMany)
	}
	b.WriteString(text)
	return b.String()
}
