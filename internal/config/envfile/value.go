package envfile

import (
	"errors"
	"strings"
	"unicode"
)

// quote writes a value so that it is read back unchanged.
func quote(value string) (string, error) {
	if strings.ContainsFunc(value, unicode.IsControl) {
		return "", errors.New("a value stays on one line, and has no control characters")
	}
	if strings.TrimSpace(value) == "" {
		return "", errors.New("a value cannot be blank")
	}
	if !strings.ContainsFunc(value, needsQuotes) {
		return value, nil
	}
	if !strings.Contains(value, "'") {
		return "'" + value + "'", nil // without any escapes
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(value) + `"`, nil
}

// needsQuotes is generous: shells and other programs read such files too, by their own
// rules.
func needsQuotes(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("#'\"\\$`;&|<>()*?~!", r)
}

// comment is the comment after a value on its line, blanks included.
func comment(rest string) string {
	from := 0
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		end := closing(rest)
		if end < 0 {
			return "" // malformed; the new line is not
		}
		from = end + 1
	}
	for i := from; i < len(rest); i++ {
		blank := i > 0 && (rest[i-1] == ' ' || rest[i-1] == '\t')
		if rest[i] == '#' && (i == 0 || blank || i == from && from > 0) {
			return " " + rest[i:]
		}
	}
	return ""
}

// closing is the offset of the closing quote, or -1.
func closing(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] == '"':
			i++
		case text[i] == text[0]:
			return i
		}
	}
	return -1
}
