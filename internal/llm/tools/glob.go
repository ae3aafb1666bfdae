package tools

import (
	"errors"
	"regexp"
	"strings"
)

const maxPattern = 1000 // bytes of a pattern

var errPattern = errors.New("this pattern cannot be read. Write one such as *.md or src/**/*.{ts,tsx}")

// glob translates a pattern for paths into a regular expression, which takes linear time for any path.
func glob(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, errPattern
	}
	var b strings.Builder
	b.WriteString(`^(?s:`)
	braces := 0
	for rest := pattern; rest != ""; {
		var text string
		text, rest = globPiece(rest, &braces)
		b.WriteString(text)
	}
	b.WriteString(`)$`)
	expr, err := regexp.Compile(b.String())
	if err != nil || braces != 0 {
		return nil, errPattern
	}
	return expr, nil
}

// globPiece translates the first piece of a pattern and returns the rest.
func globPiece(pattern string, braces *int) (text, rest string) {
	for _, p := range []struct{ glob, expr string }{{"**/", `(?:.*/)?`}, {"**", `.*`}, {"*", `[^/]*`}, {"?", `[^/]`}} {
		if after, ok := strings.CutPrefix(pattern, p.glob); ok {
			return p.expr, after
		}
	}
	switch c := pattern[0]; {
	case c == '{':
		*braces++
		return `(?:`, pattern[1:]
	case c == '}' && *braces > 0:
		*braces--
		return `)`, pattern[1:]
	case c == ',' && *braces > 0:
		return `|`, pattern[1:]
	case c == '\\' && len(pattern) > 1:
		return regexp.QuoteMeta(pattern[1:2]), pattern[2:]
	case c == '[':
		if end := strings.IndexByte(pattern[1:], ']'); end > 0 {
			class := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`).Replace(pattern[1 : end+1])
			if after, not := strings.CutPrefix(class, "!"); not {
				class = "^/" + after
			}
			return "[" + class + "]", pattern[end+2:]
		}
	}
	end := strings.IndexAny(pattern[1:], `*?{},\[`) + 1
	if end == 0 {
		end = len(pattern)
	}
	return regexp.QuoteMeta(pattern[:end]), pattern[end:]
}

// literalFolders splits a pattern into the folders that it names and the rest, so that only those are walked, and hidden ones are
// found by their name.
func literalFolders(pattern string) (folders, rest string) {
	rest = pattern
	for {
		name, after, more := strings.Cut(rest, "/")
		if !more || strings.ContainsAny(name, `*?{},\[`) {
			return strings.TrimSuffix(folders, "/"), rest
		}
		folders += name + "/"
		rest = after
	}
}
