package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

const (
	searchTime   = 30 * time.Second
	maxLine      = 500  // characters of a line that matches
	maxSearched  = 4000 // bytes of a line that are looked at
	maxMatchText = maxPart
)

type searchContent struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Glob    string `json:"glob"`
	AnyCase bool   `json:"case_insensitive"`
}

func (in searchContent) about() string { return in.Pattern }

func (in searchContent) run(ctx context.Context, s *session) (result, error) {
	expr, err := in.expression()
	if err != nil {
		return result{}, err
	}
	match, err := glob(in.Glob)
	if err != nil {
		return result{}, err
	}
	ctx, end := context.WithTimeoutCause(ctx, searchTime, errEnough)
	defer end()
	var found strings.Builder
	stopped, err := s.box.walk(ctx, in.Path, func(name string, isDir bool) error {
		if isDir || in.Glob != "" && !match.MatchString(name) && !match.MatchString(path.Base(name)) {
			return nil
		}
		text, err := s.box.text(name)
		if err != nil {
			return nil // binary, too large, or gone: the search goes on without it
		}
		return matches(ctx, &found, expr, name, text)
	})
	r := result{text: found.String()}
	if r.text == "" {
		r.text = "No matches found."
	}
	if stopped {
		r.text += "(This is not all: the search was stopped early. Narrow it down with path or glob.)"
	}
	return r, plainWalk(err)
}

func (in searchContent) expression() (*regexp.Regexp, error) {
	if in.Pattern == "" || len(in.Pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern is missing, or has more than %d bytes", maxPattern)
	}
	pattern := in.Pattern
	if in.AnyCase {
		pattern = "(?i:" + pattern + ")"
	}
	expr, err := regexp.Compile(pattern)
	if err == nil && isCostly(pattern) {
		return nil, errors.New("the pattern takes too much work. Repeat fewer things in it, and less often")
	}
	if err != nil {
		return nil, errors.New("the pattern is not a regular expression in Go's syntax, which has no lookaround and no backreferences. Put a backslash before signs that are meant literally")
	}
	return expr, nil
}

// isCostly reports whether each character of a text would take long to compare with a pattern.
func isCostly(pattern string) bool {
	const most = 2000 // instructions
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return true
	}
	program, err := syntax.Compile(tree.Simplify())
	return err != nil || len(program.Inst) > most
}

// matches adds the lines of a text that match, until there is no more room.
func matches(ctx context.Context, found *strings.Builder, expr *regexp.Regexp, name, text string) error {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if ctx.Err() != nil {
			return errEnough
		}
		if !expr.MatchString(line[:min(len(line), maxSearched)]) {
			continue
		}
		line = fmt.Sprintf("%s:%d: %s\n", name, number, chat.Clip(line, maxLine))
		if found.Len()+len(line) > maxMatchText {
			return errEnough
		}
		found.WriteString(line)
	}
	return nil
}

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
