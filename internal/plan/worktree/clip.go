package worktree

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A clip keeps the beginning and the end of what is written to it.
type clip struct {
	head, tail int // how many bytes to keep
	total      int
	first      []byte
	last       []byte // at most twice the tail
}

func (c *clip) Write(p []byte) (int, error) {
	n := len(p)
	c.total += n
	room := min(c.head-len(c.first), n)
	c.first = append(c.first, p[:room]...)
	c.last = append(c.last, p[room:]...)
	if extra := len(c.last) - c.tail; extra > c.tail {
		c.last = append(c.last[:0], c.last[extra:]...)
	}
	return n, nil
}

// String is the text, with a note where something is missing.
func (c *clip) String() string {
	last := c.last[max(0, len(c.last)-c.tail):]
	left := c.total - len(c.first) - len(last)
	if left == 0 {
		return clean(string(c.first) + string(last))
	}
	first := wholeRunes(c.first)
	return clean(fmt.Sprintf("%s\n[… %d bytes are left out …]\n%s", strings.TrimSuffix(first, "\n"), left, last))
}

// wholeRunes is a text without a character that was cut at its end.
func wholeRunes(p []byte) string {
	for i := 1; i <= min(utf8.UTFMax, len(p)); i++ {
		if tail := p[len(p)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return string(p[:len(p)-i])
			}
			break
		}
	}
	return string(p)
}

// clean makes valid text of a program's output.
func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
