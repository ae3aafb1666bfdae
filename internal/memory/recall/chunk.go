package recall

import (
	"strings"
	"unicode"
)

const (
	chunkLength = 1500 // characters of a row
	maxFence    = 6000 // characters of a row that ends with a code block
)

// chunks splits a long text at the ends of paragraphs or sentences, outside of code blocks.
func chunks(text string) []string {
	var list []string
	rest := []rune(text)
	for len(rest) > chunkLength {
		at := cutAt(rest)
		if head := strings.TrimSpace(string(rest[:at])); head != "" {
			list = append(list, head)
		}
		rest = rest[at:]
	}
	if tail := strings.TrimSpace(string(rest)); tail != "" {
		list = append(list, tail)
	}
	return list
}

// cutAt returns where to cut a text that is longer than a chunk: after the last sentence or paragraph that fits,
// or else where the chunk is full. A code block that begins there is kept whole, within maxFence.
func cutAt(text []rune) int {
	at, fenced := 0, false
	for i := 0; i < chunkLength; i++ {
		switch {
		case isFence(text, i):
			if !fenced && i > 0 {
				at = i // before the block, if nothing better follows it
			}
			fenced = !fenced
			i += 2
		case !fenced && endsSentence(text, i):
			at = i + 1
		}
	}
	if at > 0 {
		return at
	}
	if !fenced {
		return chunkLength
	}
	for i := chunkLength; i < min(len(text), maxFence)-2; i++ {
		if isFence(text, i) {
			return i + 3
		}
	}
	return min(len(text), maxFence)
}

func isFence(text []rune, i int) bool {
	return i+2 < len(text) && text[i] == '`' && text[i+1] == '`' && text[i+2] == '`'
}

func endsSentence(text []rune, i int) bool {
	if i+1 >= len(text) {
		return false
	}
	switch text[i] {
	case '\n':
		return text[i+1] == '\n'
	case '.', '!', '?':
		return unicode.IsSpace(text[i+1])
	case '。', '！', '？':
		return true
	}
	return false
}
