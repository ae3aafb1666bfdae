package dialect

import "strings"

// Preview hides what either of Find's two readings would take out: which of them
// is the better one, text still to come may decide. So markup that is shown is in
// the finished reply, whichever it is; only prose may still vanish, behind a block
// that lacks its closing marker.
//
// It waits where the readings themselves may still change: at a payload without
// an end, at the beginning of a marker, and at code that is code only until
// another backtick arrives.
func (blocks) Preview(r *Reply) (hidden []Region, cut int) {
	openers := openersOf(r)
	pairs, dangling := markerPairs(r)
	complete, cut := completeBlocks(r.Text, openers, pairs)
	cut = min(cut, shakyExample(r, openMark))
	if dangling >= 0 && !r.Inert(dangling) {
		cut = min(cut, afterDangling(r, dangling, complete))
	}
	for _, span := range union(complete, pairs) {
		hidden = append(hidden, Region{Span: span})
	}
	return hidden, min(cut, partialMarker(r, dangling))
}

// completeBlocks reads by braces and stops at the first block whose end is not
// certain.
func completeBlocks(text string, openers []opener, pairs []Span) (blocks []Span, cut int) {
	at := 0
	for _, o := range openers {
		if o.at < at {
			continue // inside the block before
		}
		if o.brace < 0 {
			// Only the other reading can hide it.
			if !spans(pairs).contain(o.at) {
				return blocks, o.at
			}
			continue
		}
		if o.end < 0 {
			return blocks, o.at
		}
		at = skipCloser(text, o.end)
		if !strings.HasPrefix(text[o.end:], closeMark) && beginsTag(text, at) {
			return blocks, o.at
		}
		blocks = append(blocks, Span{o.at, at})
	}
	return blocks, len(text)
}

// afterDangling is where to wait behind an opening marker that has no closing one
// yet. When one arrives, all in between may vanish. Prose may be shown until then,
// but neither examples nor braces, which may be a payload's.
func afterDangling(r *Reply, dangling int, blocks []Span) int {
	at := dangling + len(openMark)
	for _, block := range append(blocks, Span{len(r.Text), len(r.Text)}) {
		if block.Start > at {
			between := r.Text[at:block.Start]
			if i := firstOf(strings.IndexByte(between, '{'), strings.Index(between, openMark)); i >= 0 {
				return at + i
			}
		}
		at = max(at, block.End)
	}
	return len(r.Text)
}

// firstOf is the smaller of two offsets of which each may be missing.
func firstOf(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// shakyExample is the first such marker that is in code only as long as no other backtick arrives.
func shakyExample(r *Reply, marker string) int {
	if !strings.HasSuffix(r.Text, "`") {
		return len(r.Text)
	}
	for at := 0; ; at += len(marker) {
		i := strings.Index(r.Text[at:], marker)
		if i < 0 {
			return len(r.Text)
		}
		at += i
		if r.Shaky(at) {
			return at
		}
	}
}

// partialMarker is the offset of a marker of which only the beginning has arrived,
// or the length of the text. A closing one matters if an opening one waits for it.
func partialMarker(r *Reply, dangling int) int {
	waiting := dangling >= 0 && !r.Inert(dangling)
	i := strings.LastIndexByte(r.Text, '<')
	if i < 0 || r.Inert(i) && !waiting {
		return len(r.Text)
	}
	tail := r.Text[i:]
	if strings.HasPrefix(openMark, tail) || waiting && strings.HasPrefix(closeMark, tail) {
		return i
	}
	return len(r.Text)
}

// beginsTag reports whether the rest of the text from i on may yet become a closing
// tag.
func beginsTag(text string, i int) bool {
	i = skipSpace(text, i)
	if text[i:] == "<" {
		return true
	}
	end, _ := closingTag(text, i)
	return end > i && end == len(text)
}

// union merges two ordered lists of spans.
func union(a, b []Span) []Span {
	var all []Span
	for len(a)+len(b) > 0 {
		if len(a) == 0 || len(b) > 0 && b[0].Start < a[0].Start {
			a, b = b, a
		}
		next := a[0]
		a = a[1:]
		if last := len(all) - 1; last >= 0 && next.Start <= all[last].End {
			all[last].End = max(all[last].End, next.End)
		} else {
			all = append(all, next)
		}
	}
	return all
}
