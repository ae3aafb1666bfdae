package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxOutput  = 1 << 20  // bytes of all results of an invocation
	moreOutput = 2 << 20  // in a project: about half a million tokens, which large models still take, as each round sends all of them again
	maxResult  = 64 << 10 // bytes of one
)

// keepEnds cuts the middle out of a text that is too long, and says so in its place. The note is not counted.
func keepEnds(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := most/2, len(text)-(most-most/2)
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + gap(tail-head) + text[tail:]
}

func gap(bytes int) string { return fmt.Sprintf("\n… (%d bytes left out) …\n", bytes) }

// An ends keeps the beginning and the end of what is written to it, each up to half of most bytes, so that a flood
// takes no memory.
type ends struct {
	most       int
	head, tail []byte
	lost       int
}

func (e *ends) Write(data []byte) (int, error) {
	n := len(data)
	half := e.most / 2
	fits := min(half-len(e.head), len(data))
	e.head = append(e.head, data[:fits]...)
	e.tail = append(e.tail, data[fits:]...)
	if over := len(e.tail) - half; over > 0 {
		e.lost += over
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	return n, nil
}

func (e *ends) String() string {
	if e.lost == 0 {
		return string(e.head) + string(e.tail)
	}
	return string(e.head) + gap(e.lost) + strings.ToValidUTF8(string(e.tail), "")
}
