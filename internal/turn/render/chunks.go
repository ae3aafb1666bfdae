package render

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

// Chunks splits text into messages that Discord takes. Each has at most 2000
// UTF-16 units, is not blank, and closes every fence it opens.
//
// It cuts between paragraphs where it can, then between lines, between words, and
// at last anywhere but inside a character. A better place is passed over if it
// would leave the message less than half full, unless that keeps together code
// which fits into one message. A fence that is cut is closed at
// the end of a chunk and opened again at the start of the next, with its info
// string unless that is longer than any that makes sense.
//
// Nothing is lost. Line ends become \n; blank lines at the start of the text and
// white space at its end go. What remains is cut into pieces, and the chunks are
// the pieces in order, with these differences only:
//
//   - at a cut outside code the white space around it is missing, but not the
//     indentation of a line that follows; at a cut between two lines of code the
//     line end is missing; at a cut inside a line of code nothing is;
//   - a chunk that begins in code has the opening fence above its piece, and one
//     that ends in code the closing fence below it; if the very next line of the
//     text closes the fence too, that line is missing with the blank ones below it;
//   - pieces that are white space are left out.
//
// The work grows linearly with the text.
func Chunks(text string) []string {
	s := splitter{rest: withoutBlankLines(tidy(text))}
	var chunks []string
	for s.rest != "" {
		if chunk := s.next(); chunk != "" {
			chunks = append(chunks, chunk)
		}
	}
	return chunks
}

// A splitter takes chunks off the front of a text.
//
// It reads fences in what it hands out rather than in the text it was given: a
// long line that is cut may become a fence, or cease to be one, and a reader of
// the chunk sees only that. So chunks are balanced whatever the text was.
type splitter struct {
	rest string
	open fence // what rest begins in
}

// next is the next chunk, or nothing if it would be blank.
func (s *splitter) next() string {
	opening := s.open.opening()
	c := s.cut(limit - chat.Length(opening))
	piece := s.rest[:c.at]
	s.skip(c)
	if strings.TrimSpace(piece) == "" {
		return ""
	}
	if !c.open.open() {
		piece = strings.TrimRightFunc(piece, unicode.IsSpace)
	}
	return opening + piece + c.open.closing()
}

// A cut is a place where the rest may be cut.
type cut struct {
	at   int   // in the rest; for a cut between lines, before the line end
	open fence // there
	rank rank
}

// A rank says how good a cut is.
type rank uint8

const (
	nowhere       rank = iota
	belowOpening       // leaves an opening fence without any code
	insideWord         // or in the blanks that a line begins with
	tooEarly           // one of those below, but leaves the chunk less than half full
	betweenWords       // of one line
	betweenCode        // lines
	betweenLines       // outside code
	betweenBlocks      // outside code, at a blank line
)

// cut finds the best place to cut the rest, if room units may go before it,
// including the closing fence that it may need.
func (s *splitter) cut(room int) cut {
	// A bit more than can be used, to see what a line goes on with.
	window := s.rest[:fitting(s.rest, room+8)]
	var best, above cut // above is before the code that is open
	at, used, open := 0, 0, s.open
	for {
		line, _, more := strings.Cut(window[at:], "\n")
		end, below := used+chat.Length(line), open.after(line)
		if end+len(below.closing()) > room {
			// What comes later does not fit either: closing a fence takes no less
			// than was reserved for it.
			if best.open.open() && above.at > 0 && fitsWhole(s.rest[above.at+1:]) {
				return above
			}
			if best.rank <= tooEarly {
				c := cutLine(line, open, used, room)
				c.at += at
				best = best.or(c)
			}
			return best
		}
		at += len(line)
		if !more {
			return cut{at: at, open: below}
		}
		best = best.or(cut{at, below, ranked(lineRank(open, below, window[at:]), end, room)})
		if !below.open() {
			above = cut{at: at}
		}
		at, used, open = at+1, end+1, below
	}
}

// fitsWhole reports whether the code that text begins with fits into one message.
func fitsWhole(text string) bool {
	var open fence
	for line := range strings.Lines(text[:fitting(text, limit)]) {
		above := open
		open = open.after(strings.TrimSuffix(line, "\n"))
		if above.open() && !open.open() {
			return true
		}
	}
	return false
}

// or is the better one of two cuts. Of equals it is the later.
func (c cut) or(later cut) cut {
	if later.rank >= c.rank {
		return later
	}
	return c
}

// lineRank ranks the cut at the end of a line by what is open above and below the
// line, and by what follows.
func lineRank(above, below fence, following string) rank {
	switch {
	case below.open() && !above.open():
		return belowOpening
	case below.open():
		return betweenCode
	case strings.HasPrefix(following, "\n\n"):
		return betweenBlocks
	}
	return betweenLines
}

// ranked lowers the rank of a cut that would use too little of the room.
func ranked(r rank, used, room int) rank {
	if used < room/2 {
		return min(r, tooEarly)
	}
	return r
}

// skip goes to where the next chunk begins.
func (s *splitter) skip(c cut) {
	s.rest, s.open = s.rest[c.at:], c.open.reopened()
	if !c.open.open() {
		// All kinds of blanks: what is left of them would be looked at again in each step.
		s.rest = withoutBlankLines(strings.TrimLeftFunc(s.rest, isBlankInLine))
		return
	}
	code, ok := strings.CutPrefix(s.rest, "\n")
	if !ok {
		return // inside a line
	}
	s.rest = code
	// The chunk has closed its fence already, so that the text need not.
	if line, below, _ := strings.Cut(code, "\n"); !c.open.after(line).open() {
		s.rest, s.open = withoutBlankLines(below), fence{}
	}
}

func isBlankInLine(r rune) bool { return r != '\n' && unicode.IsSpace(r) }

// cutLine finds the best place inside a line that does not fit. The line stands
// below open and behind used units of room. There is none if the room is used up.
func cutLine(line string, open fence, used, room int) cut {
	most := fitting(line, room-used-reserve(line, open, room-used))
	if most == 0 {
		return cut{}
	}
	if at := cutWords(line, most, open.open()); at > 0 {
		return cut{at, open.after(line[:at]), ranked(betweenWords, used+chat.Length(line[:at]), room)}
	}
	at := cutAnywhere(line, most)
	return cut{at, open.after(line[:at]), insideWord}
}

// reserve is the room that a closing fence may take, wherever the line is cut.
func reserve(line string, open fence, room int) int {
	if open.open() {
		return len(open.closing())
	}
	mark := markOf(line)
	if !mark.open() {
		return 0
	}
	// The part before the cut may open a fence, even if the line as a whole does
	// not. A marker too wide for the room is cut itself, in the middle of the room,
	// so that the closing one has the other half.
	mark.width = min(mark.width, room/2)
	return len(mark.closing())
}

// cutWords finds the last cut between words within most bytes, or 0. In code the
// blanks before the cut are kept, so they have to fit as well.
func cutWords(line string, most int, code bool) int {
	head := line[:most]
	if !code && most < len(line) && isBlank(line[most]) {
		head = line[:most+1]
	}
	for {
		blank := strings.LastIndexAny(head, " \t")
		if blank < 0 {
			return 0
		}
		head = strings.TrimRight(line[:blank], " \t")
		switch {
		case head == "":
			return 0 // only indentation
		case beginsFence(strings.TrimLeft(line[blank:], " \t")):
			continue
		case code:
			return blank + 1
		}
		return len(head)
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// beginsFence reports whether s would be taken for a fence at the start of a line,
// judging by no more than its first few characters.
func beginsFence(s string) bool { return markOf(s[:min(len(s), 6)]).open() }

// cutAnywhere cuts after most bytes, or a little before if that would tear
// something apart.
func cutAnywhere(line string, most int) int {
	for at := most; at > max(0, most-maxClusterBytes); {
		if !insideCluster(line, at) && !beginsFence(line[at:]) {
			return at
		}
		_, size := utf8.DecodeLastRuneInString(line[:at])
		at -= size
	}
	return most
}

// fitting is how many bytes of s take at most room units.
func fitting(s string, room int) int {
	for i, r := range s {
		room -= utf16.RuneLen(r)
		if room < 0 {
			return i
		}
	}
	return len(s)
}

// maxClusterBytes is how many bytes a cut is moved at most to keep a character whole. A
// family of emoji has about thirty; longer ones are made to be a nuisance.
const maxClusterBytes = 100

// afterCluster is at, or the end of the character that it is inside of.
func afterCluster(s string, at int) int {
	for i := range s[at:min(len(s), at+maxClusterBytes)] {
		if !insideCluster(s, at+i) {
			return at + i
		}
	}
	return at
}

// insideCluster reports whether what stands before and after the offset is seen as
// one character. It knows marks, emoji joined or altered by others, and flags; the
// finer rules of Unicode concern scripts that have spaces to cut at.
func insideCluster(s string, at int) bool {
	const joiner = '\u200D'
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	switch {
	case before == joiner || after == joiner || unicode.Is(unicode.M, after):
		return true
	case after >= 0x1F3FB && after <= 0x1F3FF: // skin tones
		return true
	case after >= 0xE0020 && after <= 0xE007F: // tags, as in the flag of Wales
		return true
	}
	return isFlagHalf(after) && flagHalvesBefore(s[:at])%2 == 1
}

// isFlagHalf reports whether r is a regional indicator. Two of them are a flag.
func isFlagHalf(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

func flagHalvesBefore(s string) int {
	others := strings.TrimRightFunc(s, isFlagHalf)
	return utf8.RuneCountInString(s[len(others):])
}
