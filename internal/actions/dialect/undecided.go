package dialect

import "strings"

// Undecided looks for the first place from which on a preview must wait. Mostly
// that is plain: a block that has not ended, or a marker that has not fully
// arrived. The rest is about texts that Find can read in two ways, where what
// comes later decides for one of them, and about code that is code only until
// another backtick arrives.
func (b blocks) Undecided(r *Reply) int {
	l := lookout{
		reply:   r,
		firm:    r.withoutLastBackticks(),
		openers: openersOf(r),
		closers: nextMarker{text: r.Text, mark: closeMark},
		pair:    -1,
	}
	cut := l.watch()
	if l.pair >= 0 && !startsRegion(b.Find(&Reply{Text: r.Text[:cut], accepts: r.accepts}), l.pair) {
		return l.pair
	}
	return cut
}

func startsRegion(regions []Region, at int) bool {
	for _, region := range regions {
		if region.Start == at {
			return true
		}
	}
	return false
}

// A lookout goes through the markers of an unfinished text.
type lookout struct {
	reply   *Reply
	firm    *Reply // without the backticks at its end, which may be joined by more
	openers []opener
	closers nextMarker

	at    int  // what is before it has been looked at
	loose bool // a block had no closing marker of its own, so a later one may be taken for it
	pair  int  // the first opener that is hidden only if Find reads by pairs, or -1
}

// watch returns where it had to stop.
func (l *lookout) watch() int {
	for {
		start, opening, found := l.nextMarker()
		if !found {
			return l.partialMarker()
		}
		inCode := l.reply.InCode(start)
		switch {
		case inCode && !l.loose && (!opening || l.firm.InCode(start)):
			// An example. It stays.
		case !inCode && !opening && !l.loose:
			// A stray closing marker. It stays too.
		case !inCode && opening:
			if !l.passBlock(start) {
				return start
			}
		default:
			return start
		}
	}
}

// nextMarker moves behind the next marker, in code or not.
func (l *lookout) nextMarker() (start int, opening, found bool) {
	const name = "discord-action>" // what both markers end in
	text := l.reply.Text
	for {
		i := strings.Index(text[l.at:], name)
		if i < 0 {
			return 0, false, false
		}
		i += l.at
		before := text[l.at:i]
		l.at = i + len(name)
		switch {
		case strings.HasSuffix(before, "</"):
			return i - 2, false, true
		case strings.HasSuffix(before, "<"):
			return i - 1, true, true
		}
	}
}

// passBlock moves behind the block that begins at start, if it is certain to stay
// hidden and does not leave the rest of the text in doubt.
func (l *lookout) passBlock(start int) bool {
	for l.openers[0].at < start {
		l.openers = l.openers[1:] // it was inside another block
	}
	text, o := l.reply.Text, l.openers[0]
	closer := l.closers.after(start)
	if o.brace < 0 {
		return l.passPair(start, closer)
	}
	if o.end < 0 {
		return false
	}
	end := skipCloser(text, o.end)
	if !strings.HasPrefix(text[o.end:], closeMark) && beginsTag(text, end) {
		return false
	}
	if closer != end-len(closeMark) {
		l.loose = true
		if l.pair >= 0 {
			return false
		}
	}
	l.at = end
	return true
}

// passPair moves behind an opening marker that stands before something other than
// a brace, and its closing marker. Find hides such a pair in one of its readings
// only, so everything else must be the same in both.
func (l *lookout) passPair(start, closer int) bool {
	body := start + len(openMark)
	if l.loose || closer < 0 || strings.Contains(l.reply.Text[body:closer], openMark) {
		return false
	}
	if l.pair < 0 {
		l.pair = start
	}
	l.at = closer + len(closeMark)
	return true
}

// partialMarker is the offset of a marker of which only the beginning has
// arrived, or the length of the text.
func (l *lookout) partialMarker() int {
	text := l.reply.Text
	i := strings.LastIndexByte(text, '<')
	if i < l.at || l.reply.InCode(i) && !l.loose {
		return len(text)
	}
	if strings.HasPrefix(openMark, text[i:]) || l.loose && strings.HasPrefix(closeMark, text[i:]) {
		return i
	}
	return len(text)
}

// withoutLastBackticks is the reply before the run of backticks that ends it.
func (r *Reply) withoutLastBackticks() *Reply {
	short := strings.TrimRight(r.Text, "`")
	if short == r.Text {
		return r
	}
	return &Reply{Text: short}
}

// beginsTag says whether the rest of the text from i on may yet become a closing
// tag.
func beginsTag(text string, i int) bool {
	i = skipSpace(text, i)
	if text[i:] == "<" {
		return true
	}
	end, _ := closingTag(text, i)
	return end > i && end == len(text)
}

// A nextMarker finds the next marker for offsets that only grow, without
// searching any stretch of the text twice.
type nextMarker struct {
	text, mark string
	found      int // 0 before the first search, -1 when there are no more
}

// after returns the first offset of the marker behind i, or -1.
func (n *nextMarker) after(i int) int {
	if n.found >= 0 && n.found <= i {
		n.found = strings.Index(n.text[i:], n.mark)
		if n.found >= 0 {
			n.found += i
		}
	}
	return n.found
}
