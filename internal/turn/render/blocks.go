package render

import "strings"

// A Block is fenced code in a text.
type Block struct {
	Info     string // what stands behind the opening fence, as a language
	Code     string // without the fences
	From, To int    // where it stands in the text, with the fences
}

// Blocks are the fenced code of a text whose line ends are \n, in order. Code whose
// fence is never closed goes on to the end.
func Blocks(text string) []Block {
	var all []Block
	var open fence
	at, from, code := 0, 0, 0
	for line := range strings.Lines(text) {
		below := open.after(strings.TrimSuffix(line, "\n"))
		switch {
		case !open.open() && below.open():
			from, code = at, at+len(line)
		case open.open() && !below.open():
			all = append(all, open.block(text[code:at], from, at+len(line)))
		}
		at, open = at+len(line), below
	}
	if open.open() {
		all = append(all, open.block(text[code:], from, len(text)))
	}
	return all
}

func (f fence) block(code string, from, to int) Block {
	return Block{Info: strings.Trim(f.info, " \t"), Code: code, From: from, To: to}
}
