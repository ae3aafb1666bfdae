package chat

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Length is the length of s as Discord counts it, in UTF-16 code units: an emoji
// outside the basic plane counts twice.
func Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Clip cuts s after most characters and marks the cut, so that a value someone
// else made up cannot fill a message.
func Clip(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// Cut keeps the beginning of a text that has more than most characters as Discord
// counts them: whole lines if that keeps enough. It says how much is missing, which
// comes on top.
func Cut(text string, most int) string {
	n, end := 0, len(text)
	for i, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
		if n > most {
			end = i
			break
		}
	}
	if end == len(text) {
		return text
	}
	if line := strings.LastIndexByte(text[:end], '\n'); line >= end/2 {
		rest := text[line+1:]
		return fmt.Sprintf("%s\n… (%s more, %d characters, left out; ask for less)", text[:line], lines(1+strings.Count(rest, "\n")), Length(rest))
	}
	return fmt.Sprintf("%s\n… (%d more characters left out; ask for less)", text[:end], Length(text[end:]))
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// Capital makes the beginning of a sentence.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Slips is how many letters must be added, removed or changed to make b of a: how
// far a slip of the pen would have to go.
func Slips(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			cost := diagonal
			if from[i] != to[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(to)]
}
