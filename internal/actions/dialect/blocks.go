package dialect

import (
	"encoding/json"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// Blocks is the main dialect, always on:
//
//	<discord-action>{"type":"channelList"}</discord-action>
//
// It finds the end of a payload by its braces, so that a wrong or missing closing
// tag does no harm, and leaves blocks in code and quotes alone. Its quirks are a contract, told
// in docs/blocks.md and pinned by the vectors in testdata; do not mend them here.
func Blocks() Pass { return blocks{} }

type blocks struct{}

const (
	blockDialect = "blocks"

	openMark  = actions.BlockOpen
	closeMark = actions.BlockClose
)

func (blocks) Name() string { return blockDialect }

// Find reads the text by braces. Where that leaves markers behind or finds
// nothing to do, it also reads it by pairs of markers and takes the better of the
// two readings as a whole.
func (blocks) Find(r *Reply) []Region {
	openers := openersOf(r)
	if len(openers) == 0 {
		return nil
	}
	byBraces := readByBraces(r.Text, openers)
	accepted := r.countAccepted(byBraces)
	text := clean(r.Text, places(byBraces), nil)
	leftovers := strings.Contains(text, openMark) || strings.Contains(text, closeMark)
	if !leftovers && accepted > 0 {
		return byBraces
	}
	byPairs := readByPairs(r)
	switch more := r.countAccepted(byPairs) - accepted; {
	case more > 0:
		return byPairs
	case more == 0 && leftovers && chat.Length(clean(r.Text, places(byPairs), nil)) < chat.Length(text):
		return byPairs
	}
	return byBraces
}

func (r *Reply) countAccepted(regions []Region) int {
	n := 0
	for _, region := range regions {
		if region.Request != nil && r.accepts(*region.Request) {
			n++
		}
	}
	return n
}

// An opener is an opening marker outside code and quotes.
type opener struct {
	at    int
	brace int // the opening brace of its payload, or -1 if something else follows
	end   int // just behind the matching brace, or -1 if there is none
}

func openersOf(r *Reply) []opener {
	var found []opener
	for at := 0; ; at += len(openMark) {
		i := strings.Index(r.Text[at:], openMark)
		if i < 0 {
			break
		}
		at += i
		if r.Inert(at) {
			continue
		}
		o := opener{at: at, brace: skipSpace(r.Text, at+len(openMark)), end: -1}
		if o.brace == len(r.Text) || r.Text[o.brace] != '{' {
			o.brace = -1
		}
		found = append(found, o)
	}
	matchBraces(r.Text, found)
	return found
}

func readByBraces(text string, openers []opener) []Region {
	var regions []Region
	at := 0
	for _, o := range openers {
		if o.at < at || o.brace < 0 {
			continue
		}
		region := Region{Span: Span{Start: o.at}}
		if o.end >= 0 {
			region.End = skipCloser(text, o.end)
			region.Request, region.Malformed = decode(text[o.brace:o.end])
		} else {
			region.End = skipTags(text, endOfLine(text, o.brace))
			region.Malformed = &actions.Malformed{Flaw: actions.CutOff, Detail: "the object is not closed"}
		}
		regions = append(regions, region)
		at = region.End
	}
	return regions
}

func readByPairs(r *Reply) []Region {
	var regions []Region
	pairs, _ := markerPairs(r)
	for _, pair := range pairs {
		region := Region{Span: pair}
		body := r.Text[pair.Start+len(openMark) : pair.End-len(closeMark)]
		region.Request, region.Malformed = decode(strings.TrimFunc(body, isSpace))
		regions = append(regions, region)
	}
	return regions
}

// markerPairs takes every opening marker together with the next closing one. A
// pair that begins in code or a quote stays as it is. Dangling is the opening marker that is
// left over, or -1.
func markerPairs(r *Reply) (pairs []Span, dangling int) {
	for at := 0; ; {
		start := strings.Index(r.Text[at:], openMark)
		if start < 0 {
			return pairs, -1
		}
		start += at
		body := start + len(openMark)
		size := strings.Index(r.Text[body:], closeMark)
		if size < 0 {
			return pairs, start
		}
		at = body + size + len(closeMark)
		if !r.Inert(start) {
			pairs = append(pairs, Span{start, at})
		}
	}
}

// decode reads a payload. Keys are compared exactly and the last of two equal ones
// wins, so it goes through a map: encoding/json would fill a struct field from
// "Type" too.
func decode(payload string) (*actions.Request, *actions.Malformed) {
	raw := []byte(payload)
	var value json.RawMessage
	var members map[string]json.RawMessage
	target := any(&members)
	if !strings.HasPrefix(payload, "{") {
		target = &value
	}
	if err := json.Unmarshal(raw, target); err != nil {
		return nil, &actions.Malformed{Flaw: actions.NotJSON, Detail: err.Error()}
	}
	var name *string
	if err := json.Unmarshal(members["type"], &name); err != nil || name == nil {
		return nil, &actions.Malformed{Flaw: actions.NoType, Detail: `the block is not an object with a "type" in quotes`}
	}
	return &actions.Request{Type: *name, Args: raw, Dialect: blockDialect}, nil
}

// skipCloser moves behind what closes a block whose payload ends at i: the right
// marker, or any number of other closing tags, or nothing.
func skipCloser(text string, i int) int {
	if strings.HasPrefix(text[i:], closeMark) {
		return i + len(closeMark)
	}
	return skipTags(text, i)
}

// skipTags moves behind any closing tags at i, and the white space before them.
// Models that write other markup nearby close our blocks with its tags.
func skipTags(text string, i int) int {
	for {
		end, complete := closingTag(text, skipSpace(text, i))
		if !complete {
			return i
		}
		i = end
	}
}

// closingTag reads "</", small letters and hyphens, ">" at i, and returns where it
// stopped.
func closingTag(text string, i int) (end int, complete bool) {
	if !strings.HasPrefix(text[i:], "</") {
		return i, false
	}
	name := i + 2
	for i = name; i < len(text) && (text[i] == '-' || text[i] >= 'a' && text[i] <= 'z'); i++ {
	}
	if i == name || i == len(text) || text[i] != '>' {
		return i, false
	}
	return i + 1, true
}

func endOfLine(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// matchBraces fills in where the payload of each opener ends.
//
// The contract: walk from the opening brace; a quote begins or ends a string, in
// a string a backslash skips a character, outside strings braces nest; the
// payload ends when the nesting is back at zero. Walking like that from every
// opener takes quadratic time on openers that never close, and what one walk
// learned does not help the next, which may begin inside what the first took for
// a string. So the text is walked once, backwards, with both answers at hand: the
// brace that would close the current level if this character is read outside a
// string, and if it is read inside one.
func matchBraces(text string, openers []opener) {
	k := len(openers) - 1
	for k >= 0 && openers[k].brace < 0 {
		k--
	}
	// A level is a closing brace and the one that closes the level around it. The
	// first is no brace at all: the end of the text.
	type level struct{ end, around int32 } // small, for there may be one for each byte
	levels := []level{{end: -1}}

	var outside, inside, insideNext int32 // insideNext: of one character further on
	for i := len(text) - 1; k >= 0; i-- {
		o, s := outside, inside
		switch text[i] {
		case '}':
			levels = append(levels, level{end: int32(i + 1), around: outside})
			o = int32(len(levels) - 1)
		case '{':
			if i == openers[k].brace {
				openers[k].end = int(levels[outside].end)
				for k--; k >= 0 && openers[k].brace < 0; k-- {
				}
			}
			o = levels[outside].around
		case '"':
			o, s = inside, outside
		case '\\':
			s = insideNext
		}
		insideNext = inside
		outside, inside = o, s
	}
}
