package main

import (
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// maxLine is how many characters a line of the product may have, a tab being one, without its string literals and struct tags.
const maxLine = 140

// lines are counts of lines. A line with code and a comment is code.
type lines struct{ all, code, comments int }

func (l lines) plus(m lines) lines {
	return lines{l.all + m.all, l.code + m.code, l.comments + m.comments}
}

// count counts the lines of a Go file.
func count(text []byte) lines {
	code, comments := map[int]bool{}, map[int]bool{}
	eachToken(text, func(line int, t token.Token, lit string) {
		for i, part := range strings.Split(lit, "\n") {
			switch {
			case t == token.COMMENT:
				comments[line+i] = true
			case t == token.STRING && strings.TrimSpace(part) == "": // a blank line of a text
			default:
				code[line+i] = true
			}
		}
	})
	n := lines{all: strings.Count(string(text), "\n"), code: len(code)}
	for line := range comments {
		if !code[line] {
			n.comments++
		}
	}
	return n
}

// longLines returns the numbers of lines that are too long.
func longLines(text []byte) (long []int) {
	inTexts := map[int]int{}
	eachToken(text, func(line int, t token.Token, lit string) {
		if t == token.STRING {
			for i, part := range strings.Split(lit, "\n") {
				inTexts[line+i] += utf8.RuneCountInString(part)
			}
		}
	})
	for i, line := range strings.Split(string(text), "\n") {
		if utf8.RuneCountInString(line)-inTexts[i+1] > maxLine {
			long = append(long, i+1)
		}
	}
	return long
}

// eachToken calls f with the tokens of a Go file, except for the semicolons that nobody wrote.
func eachToken(text []byte, f func(line int, t token.Token, lit string)) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, t, lit := s.Scan()
		switch {
		case t == token.EOF:
			return
		case t == token.SEMICOLON && lit == "\n":
		default:
			f(file.Line(pos), t, lit)
		}
	}
}
