package dialect

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// spans are in order and do not overlap.
type spans []Span

func (s spans) contain(i int) bool {
	n := sort.Search(len(s), func(k int) bool { return s[k].End > i })
	return n < len(s) && s[n].Start <= i
}

// inertSpans finds the parts of text that are Markdown code or quotes.
func inertSpans(text string) spans {
	code := codeSpans(text)
	return union(code, quotes(text, code))
}

// quotes finds the lines of quotes as Discord shows them: one that begins with ">", and all lines
// from one on that begins with ">>> ". To be on the safe side, blanks before and a missing one
// behind make no difference.
func quotes(text string, code spans) (found spans) {
	for start := 0; start < len(text); {
		end := endOfLine(text, start)
		line := strings.TrimLeft(text[start:end], " \t")
		switch {
		case strings.HasPrefix(line, ">>> ") && !code.contain(start):
			return append(found, Span{start, len(text)})
		case strings.HasPrefix(line, ">"):
			found = append(found, Span{start, end})
		}
		start = end + 1
	}
	return found
}

// codeSpans finds the parts of text that are Markdown code, by the rules of the
// contract rather than those of CommonMark: fences count at any indentation but
// not behind a list marker or a quote, four spaces are code wherever they stand,
// and inline code ends at the borders of the other two.
func codeSpans(text string) spans {
	var all spans
	at := 0
	for _, block := range blockCode(text) {
		all = append(all, inlineCode(text, at, block.Start)...)
		all = append(all, block)
		at = block.End
	}
	return append(all, inlineCode(text, at, len(text))...)
}

// blockCode finds fences and indented code.
func blockCode(text string) spans {
	var found spans
	var fence fence         // the open one
	indented := Span{-1, 0} // the open run, up to its last indented line
	closeIndented := func() {
		if indented.Start >= 0 {
			found = append(found, indented)
			indented.Start = -1
		}
	}
	for start := 0; start < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		line := strings.TrimSuffix(text[start:end], "\n")
		switch opened := openingFence(line); {
		case fence.width > 0:
			if fence.closedBy(line) {
				found = append(found, Span{fence.start, end})
				fence.width = 0
			}
		case opened.width > 0:
			closeIndented()
			fence = opened
			fence.start = start
		case strings.TrimFunc(line, isSpace) == "":
			// A blank line neither begins nor ends indented code.
		case line[0] == '\t' || strings.HasPrefix(line, "    "):
			if indented.Start < 0 {
				indented.Start = start
			}
			indented.End = end
		default:
			closeIndented()
		}
		start = end
	}
	closeIndented()
	if fence.width > 0 {
		found = append(found, Span{fence.start, len(text)})
	}
	return found
}

// A fence is a run of at least three backticks or tildes that begins a line.
type fence struct {
	start int
	char  byte
	width int
}

func openingFence(line string) fence {
	line = strings.TrimLeft(line, " \t")
	if line == "" || line[0] != '`' && line[0] != '~' {
		return fence{}
	}
	width := len(line) - len(strings.TrimLeft(line, line[:1]))
	if width < 3 {
		return fence{}
	}
	return fence{char: line[0], width: width}
}

// closedBy reports whether line ends the fence: nothing but the same character, at
// least as many times.
func (f fence) closedBy(line string) bool {
	line = strings.Trim(line, " \t")
	return len(line) >= f.width && strings.Trim(line, string(f.char)) == ""
}

// inlineCode finds inline code between the two offsets. A run of backticks is
// closed by the next run of the same length; one that has no partner protects
// nothing.
func inlineCode(text string, from, to int) spans {
	runs := backtickRuns(text, from, to)
	if len(runs) < 2 {
		return nil
	}
	// Partners are looked up from the right, once. Searching ahead from every run
	// would take quadratic time on runs that all differ.
	partner := make([]int, len(runs))
	next := map[int]int{} // width to the next run of that width
	for i := len(runs) - 1; i >= 0; i-- {
		width := runs[i].End - runs[i].Start
		partner[i] = next[width]
		next[width] = i
	}
	var found spans
	for i := 0; i < len(runs); i++ {
		if j := partner[i]; j > 0 {
			found = append(found, Span{runs[i].Start, runs[j].End})
			i = j
		}
	}
	return found
}

func backtickRuns(text string, from, to int) spans {
	var runs spans
	for at := from; ; {
		i := strings.IndexByte(text[at:to], '`')
		if i < 0 {
			return runs
		}
		start := at + i
		at = start
		for at < to && text[at] == '`' {
			at++
		}
		runs = append(runs, Span{start, at})
	}
}

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

// isSpace is ECMAScript's white space, which the contract of the blocks fixes.
// unicode.IsSpace differs: it has U+0085 and lacks U+FEFF.
func isSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == '\u00A0', r == '\u1680',
		r >= '\u2000' && r <= '\u200A', r == '\u2028', r == '\u2029',
		r == '\u202F', r == '\u205F', r == '\u3000', r == '\uFEFF':
		return true
	}
	return false
}

// skipSpace returns the first offset at or after i that is not white space.
func skipSpace(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isSpace(r) {
			break
		}
		i += size
	}
	return i
}

// wholeRunes returns the text without a character at its end of which only the beginning has arrived.
func wholeRunes(text string) string {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}
