package dialect

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A lenient decodes JSON as models write it: with any quotes, raw line breaks in strings, commas too many, and words
// without quotes.
type lenient struct {
	text string
	at   int
	deep int
	keys []string // those of the outermost object that are in quotes
	wary bool     // it reads the text of an envelope, in which escapes put no marker together
}

// A number keeps all of its digits.
type number = json.Number

const maxNesting = 64

var (
	errCutOff = errors.New("the text ends too early")
	errSyntax = errors.New("that is not JSON")
)

// object reads an object at a brace.
func (l *lenient) object() (map[string]any, error) {
	members := map[string]any{}
	l.at++
	for {
		c, err := l.next()
		switch {
		case err != nil:
			return nil, err
		case c == '}':
			l.at++
			return members, nil
		}
		key, err := l.key()
		if err != nil {
			return nil, err
		}
		if c, err = l.next(); err != nil || c != ':' {
			return nil, errors.Join(err, errSyntax)
		}
		l.at++
		l.wary = l.deep == 0 && key == "text"
		if members[key], err = l.value(); err != nil {
			return nil, err
		}
		if err := l.separator('}'); err != nil {
			return nil, err
		}
	}
}

// key reads the name of a field. Escapes in it stay as they are, so that no name can be hidden from Defuse.
func (l *lenient) key() (string, error) {
	start := l.at
	if key, quoted, err := l.quoted(); quoted {
		if raw := l.text[start:l.at]; strings.Contains(raw, `\`) {
			key = raw
		}
		if l.deep == 0 && err == nil {
			l.keys = append(l.keys, key)
		}
		return key, err
	}
	return l.word()
}

func (l *lenient) list() ([]any, error) {
	list := []any{}
	l.at++
	for {
		c, err := l.next()
		switch {
		case err != nil:
			return nil, err
		case c == ']':
			l.at++
			return list, nil
		}
		value, err := l.value()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		if err := l.separator(']'); err != nil {
			return nil, err
		}
	}
}

// separator moves behind a comma, or to the end of an object or list.
func (l *lenient) separator(end byte) error {
	c, err := l.next()
	switch {
	case err != nil:
		return err
	case c == ',':
		l.at++
		return nil
	case c == end:
		return nil
	}
	return errSyntax
}

func (l *lenient) value() (any, error) {
	c, err := l.next()
	if err != nil {
		return nil, err
	}
	if c == '{' || c == '[' {
		if l.deep++; l.deep > maxNesting {
			return nil, errSyntax
		}
		defer func() { l.deep-- }()
		if c == '{' {
			return l.object()
		}
		return l.list()
	}
	if text, quoted, err := l.quoted(); quoted {
		return text, err
	}
	word, err := l.word()
	switch {
	case err != nil:
		return nil, err
	case word == "null":
		return nil, nil
	case word == "true" || word == "false":
		return word == "true", nil
	case json.Valid([]byte(word)):
		return number(word), nil
	}
	return word, nil
}

// next is the character at which something begins.
func (l *lenient) next() (byte, error) {
	if l.at = skipSpace(l.text, l.at); l.at == len(l.text) {
		return 0, errCutOff
	}
	return l.text[l.at], nil
}

// word reads a number or a word without quotes.
func (l *lenient) word() (string, error) {
	start := l.at
	for l.at < len(l.text) && isWordPart(l.text[l.at]) {
		l.at++
	}
	switch {
	case l.at == start:
		return "", errSyntax
	case l.at == len(l.text):
		return "", errCutOff
	}
	return l.text[start:l.at], nil
}

func isWordPart(c byte) bool { return isNamePart(c) || c == '+' || c == '.' || c == '$' }

// quoted reads a string, if there is one. Of one that is cut off, it returns what is there.
func (l *lenient) quoted() (text string, quoted bool, err error) {
	first, size := utf8.DecodeRuneInString(l.text[l.at:])
	quotes, ok := closingQuotes[first]
	if !ok {
		return "", false, nil
	}
	l.at += size
	var b strings.Builder
	for {
		n := strings.IndexAny(l.text[l.at:], quotes+`\`)
		if n < 0 {
			b.WriteString(l.text[l.at:])
			l.at = len(l.text)
			return b.String(), true, errCutOff
		}
		b.WriteString(l.text[l.at : l.at+n])
		l.at += n
		if l.text[l.at] != '\\' {
			_, size := utf8.DecodeRuneInString(l.text[l.at:])
			l.at += size
			return b.String(), true, nil
		}
		l.escape(&b)
	}
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f"}

// escape reads what a backslash stands for.
func (l *lenient) escape(b *strings.Builder) {
	start := l.at
	l.at++
	if l.at == len(l.text) {
		return
	}
	r, ok := l.hex()
	if !ok {
		if known, ok := escapes[l.text[l.at]]; ok {
			b.WriteString(known)
			l.at++
			return
		}
		var size int
		r, size = utf8.DecodeRuneInString(l.text[l.at:])
		l.at += size
	}
	switch written := l.text[start:l.at]; {
	case !l.wary || !marks(r):
		b.WriteRune(r)
	case r == '<':
		b.WriteString(brokenTag)
	default:
		b.WriteString(written)
	}
}

// marks reports whether a character may be part of a marker. JSON needs no escape for any of these, so a text that has one was
// written by a model that copied it, and perhaps from a person who knows that Defuse does not see it.
func marks(r rune) bool {
	return r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("<[]:_- \t\r", r))
}

// hex reads u1f44d or a pair of them.
func (l *lenient) hex() (rune, bool) {
	first, ok := hexAt(l.text, l.at)
	if !ok {
		return 0, false
	}
	l.at += 5
	if utf16.IsSurrogate(first) && strings.HasPrefix(l.text[l.at:], `\`) {
		if second, ok := hexAt(l.text, l.at+1); ok {
			l.at += 6
			return utf16.DecodeRune(first, second), true
		}
	}
	return first, true
}

func hexAt(text string, i int) (rune, bool) {
	if i+5 > len(text) || text[i] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[i+1:i+5], 16, 16)
	return rune(n), err == nil
}

// quoteMarks are what closingQuotes has.
const quoteMarks = "\"'“”„"

// keysOf yields the keys in quotes that a text seems to have, each with the offset behind its colon.
func keysOf(text string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for at := 0; ; {
			n := strings.IndexByte(text[at:], ':')
			if n < 0 {
				return
			}
			before := strings.TrimRightFunc(text[at:at+n], isSpace)
			at += n + 1
			key := strings.TrimRight(before, quoteMarks)
			if key == before {
				continue
			}
			if start := strings.LastIndexAny(key, quoteMarks); start >= 0 {
				if !yield(strings.TrimLeft(key[start:], quoteMarks), at) {
					return
				}
			}
		}
	}
}

func hasKey(text string, keys []string) bool {
	for key := range keysOf(text) {
		if slices.Contains(keys, key) {
			return true
		}
	}
	return false
}

// stringOf reads the first string that a text has for a key in quotes, even if it is cut off.
func stringOf(text, key string) (value string, found bool) {
	for k, at := range keysOf(text) {
		if k == key {
			l := lenient{text: text, at: skipSpace(text, at)}
			if value, quoted, _ := l.quoted(); quoted {
				return value, true
			}
		}
	}
	return "", false
}
