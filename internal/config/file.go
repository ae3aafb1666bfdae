package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	assignment = regexp.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)$`)
	escapes    = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\\`, `\`, `\$`, `$`)
)

// parseFile reads the one grammar of settings files: NAME=value lines, "export"
// in front if you like, "#" comments. A value may be in single quotes, taken
// literally, or in double quotes, with backslash escapes; it stays on its line.
// Problems begin with the line's number and never show a value, which may be a
// secret.
func parseFile(text string) (Env, *Error) {
	e, bad := Env{}, new(Error)
	fail := func(line int, name, why string) {
		bad.Problems = append(bad.Problems, fmt.Sprintf("%d: %s", line, why))
		if name != "" {
			bad.unread = append(bad.unread, name)
		}
	}
	for i, line := range strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		if strings.ContainsRune(line, 0) {
			fail(i+1, "", "there are zero bytes in it; the file is torn, or is not saved as UTF-8")
			continue
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := assignment.FindStringSubmatch(line)
		if m == nil {
			fail(i+1, variableNames().FindString(line), "not a line of the form NAME=value")
			continue
		}
		value, err := unquote(m[2])
		if err != nil {
			fail(i+1, m[1], fmt.Sprintf("%s: %v", m[1], err))
			continue
		}
		e.set(m[1], value)
	}
	return e, bad
}

func unquote(value string) (string, error) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return beforeComment(value), nil
	}
	quote := value[0]
	end := closingQuote(value)
	if end < 0 {
		return "", fmt.Errorf("the closing %c is missing", quote)
	}
	if rest := strings.TrimSpace(value[end+1:]); rest != "" && rest[0] != '#' {
		return "", errors.New("something follows the closing quote")
	}
	value = value[1:end]
	if quote == '"' {
		value = escapes.Replace(value)
	}
	return value, nil
}

// closingQuote is the offset of the quote that ends the one value begins with.
func closingQuote(value string) int {
	quote := value[0]
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == '\\' && quote == '"':
			i++
		case value[i] == quote:
			return i
		}
	}
	return -1
}

// beforeComment cuts off a comment: a "#" at the start or after a blank.
func beforeComment(value string) string {
	for i := range len(value) {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			return strings.TrimSpace(value[:i])
		}
	}
	return value
}
