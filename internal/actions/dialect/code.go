package dialect

import (
	"sort"
	"strings"
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
