package spoken

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPiece is about how many characters a piece has at most.
const MaxPiece = 300

// A Splitter takes the sentences from an answer that is still being written. Its zero value is ready.
//
// What was said cannot be taken back. When a text changes behind that, its sentences that were said already are not said again, and the
// new ones are, wherever they are in it.
type Splitter struct {
	said map[string]int // how often, by its letters
}

// Add takes the text so far, and returns the sentences that have become complete since.
func (s *Splitter) Add(text string) []string { return s.fresh(text, false) }

// Finish takes the whole text, and returns what was not returned yet. The last sentence of an answer that was cut off has no end.
func (s *Splitter) Finish(text string) []string { return s.fresh(text, true) }

func (s *Splitter) fresh(text string, whole bool) (pieces []string) {
	if s.said == nil {
		s.said = map[string]int{}
	}
	met := map[string]int{}
	for text != "" {
		end := sentence(text, MaxPiece, whole)
		if end == 0 {
			break
		}
		piece := strings.TrimSpace(text[:end])
		text = text[end:]
		key := letters(piece)
		if key == "" {
			continue
		}
		if met[key]++; met[key] > s.said[key] {
			s.said[key]++
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

// Pieces returns a text in pieces of at most so many characters, more than ten, each of which ends with a sentence if it can.
func Pieces(text string, most int) (pieces []string) {
	room := 0
	for text != "" {
		end := sentence(text, most-maxClosing, true)
		piece, size := text[:end], len([]rune(text[:end]))
		text = text[end:]
		switch {
		case len(pieces) > 0 && size <= room:
			pieces[len(pieces)-1] += piece
			room -= size
		case strings.TrimSpace(piece) != "":
			pieces = append(pieces, strings.TrimLeftFunc(piece, unicode.IsSpace))
			room = most - size
		}
	}
	return pieces
}

// letters are what of a sentence is heard: marks that come or go around it make it no other.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.IsSymbol(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// sentence returns where the first sentence of a text ends, or 0 as long as that is not known. It depends on nothing that comes after the
// first word of the next sentence, so that a sentence stays one while the text grows.
func sentence(text string, most int, whole bool) int {
	soft, n := 0, 0 // the best place to cut a sentence that is too long
	for i, r := range text {
		if n++; n > most {
			return cmp.Or(soft, i)
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		switch {
		case r == '\n':
			if blank := len(rest) - len(strings.TrimLeft(rest, " \t\r")); strings.HasPrefix(rest[blank:], "\n") && strings.TrimSpace(text[:i]) != "" {
				return i + 1
			}
		case strings.ContainsRune(".!?…。！？؟।", r):
			switch after(text[:i], r, rest) {
			case ends:
				return i + size + closing(rest)
			case unknown:
				if !whole {
					return 0
				}
			}
		}
		if cuttable(r) {
			soft = i + size
		}
	}
	if whole {
		return len(text)
	}
	return 0
}

// cuttable reports whether a sentence that is too long may be cut after a character.
func cuttable(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("、，；：—", r) }

type verdict int

const (
	goesOn verdict = iota
	ends
	unknown
)

// after decides whether a sentence ends with a mark, by what comes before and after it.
func after(before string, mark rune, rest string) verdict {
	rest = rest[closing(rest):]
	next := strings.TrimLeftFunc(rest, unicode.IsSpace)
	switch {
	case rest == "" || next == "" && !strings.Contains(rest, "\n\n"):
		return unknown
	case strings.ContainsRune("。！？।", mark):
		return ends
	case len(next) == len(rest) && mark != '؟': // no space, as in 2.5
		return goesOn
	case strings.HasPrefix(rest, "\n"): // as after an item of a list
		return ends
	case mark == '.' && abbreviated(before):
		return goesOn
	case strings.ContainsRune(".…", mark) && unicode.IsLower([]rune(next + "A")[0]):
		return goesOn
	}
	return ends
}

// maxClosing is how many marks can belong to an end. Nobody means anything by more.
const maxClosing = 8

// closing is the length of the marks that belong to an end of a sentence: more of them, brackets and quotes.
func closing(rest string) int {
	n := 0
	for i, r := range rest {
		if n++; n > maxClosing || !strings.ContainsRune(".!?…。！？؟।)]\"'”’»」』）", r) {
			return i
		}
	}
	return len(rest)
}

// abbreviated reports whether a full stop belongs to what comes before it: to "e.g", an initial, or the number of an item.
func abbreviated(before string) bool {
	word := before
	if i := strings.LastIndexFunc(before, unicode.IsSpace); i >= 0 {
		word = before[i+1:]
	}
	word = strings.TrimLeft(word, "(\"'“„«[")
	if len(word) <= 2 && strings.Trim(word, "0123456789") == "" {
		return true
	}
	for part := range strings.SplitSeq(word, ".") {
		if r := []rune(part); len(r) != 1 || !unicode.IsLetter(r[0]) {
			return false
		}
	}
	return true
}
