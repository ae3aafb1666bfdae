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
