package dialect

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
