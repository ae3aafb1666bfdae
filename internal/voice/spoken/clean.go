// Package spoken turns the text of an answer into sentences to be said: [Clean] takes out what is not read aloud, and a [Splitter]
// takes the sentences from what is left, while the answer is still being written.
package spoken

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/render"
)

// Clean is a text as one would read it aloud: without Markdown, code blocks, small print, emoji, addresses and IDs, and with a full stop
// after each item of a list. Nothing may be left. name says what a mention of Discord's, such as <@1>, <#1> or <t:1:R>, is called; nil
// leaves them out. A text that grows may be cleaned again and again for a Splitter.
func Clean(text string, name func(mention string) string) string {
	var lines []string
	for _, l := range chat.Lines(withoutCode(text)) {
		l = strings.TrimSpace(l)
		if l = line(l, name); l != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, l)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// withoutCode leaves a blank line for each block of code, since what is above and below it is not one sentence.
func withoutCode(text string) string {
	var b strings.Builder
	at := 0
	for _, block := range render.Blocks(text) {
		b.WriteString(text[at:block.From] + "\n\n")
		at = block.To
	}
	return b.String() + text[at:]
}

var (
	quote   = pattern(`^(>{1,3} ?)+`)
	bullet  = pattern(`^[-*+•] +(\[[ xX]\] +)?`)
	number  = pattern(`^(\d{1,3})[.)] +`)
	heading = pattern(`^#{1,6} +`)
	command = pattern("^(![\\pL][\\w-]*( .*)?|`?[a-z]+(_[a-z]+)+(\\(.*\\))?`?)$") // what some models write of the tools that they think to have
)

func line(l string, name func(string) string) string {
	l = quote().ReplaceAllString(l, "")
	switch {
	case strings.HasPrefix(l, "-# "), command().MatchString(l):
		return ""
	case len(l) > 2 && strings.Trim(l, "-*_|: ") == "": // a rule, or that of a table
		return ""
	case len(l) > 1 && strings.HasPrefix(l, "|") && strings.HasSuffix(l, "|"):
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(l, "|"), "|") {
			if cell = words(cell, name); cell != "" {
				cells = append(cells, cell)
			}
		}
		return stopped(strings.Join(cells, ", "))
	case heading().MatchString(l):
		return stopped(words(heading().ReplaceAllString(l, ""), name))
	case bullet().MatchString(l):
		return stopped(words(bullet().ReplaceAllString(l, ""), name))
	case number().MatchString(l):
		return stopped(words(number().ReplaceAllString(l, "$1: "), name))
	}
	return words(l, name)
}

// stopped is a line that ends a sentence.
func stopped(l string) string {
	if end := strings.TrimRight(l, ")]\"'”’»」』）"); end == "" || strings.ContainsRune(".!?…:;,。！？؟।：，、", []rune(end)[len([]rune(end))-1]) {
		return l
	}
	return l + "."
}

// A pattern is compiled when it is first needed, since most bots never speak.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	customEmoji = pattern(`<a?:\w+:\d+>`)
	mention     = pattern(`<(?:@[!&]?|#)\d+>|<t:-?\d+(?::[a-zA-Z])?>|<id:\w+>|</[^:<>]+:\d+>`)
	link        = pattern(`!?\[([^\[\]]*)\]\(<?[^\s()<>]*(?:\([^\s()<>]*\))?[^\s()<>]*>?(?: +"[^"]*")?\)`)
	address     = pattern(`<?https?://[^\s<>()]+>?`)
	code        = pattern("`+([^`]+)`+")
	reference   = pattern(`\s*\(#\d+\)`)
	longID      = pattern(`\b(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\d{17,20}|[0-9a-fA-F]{7,40})\b`)
	quotedID    = pattern(`^[0-9A-Za-z_-]{6,}$`)
	hollow      = pattern(`\(\s*\)|\[\s*\]|""`)
	apart       = pattern(`\s+([.,;:!?…]+)(\s|$)`)
)

// words are those of a part of a line.
func words(s string, name func(string) string) string {
	s = customEmoji().ReplaceAllString(s, "")
	s = mention().ReplaceAllStringFunc(s, func(m string) string {
		if name == nil {
			return ""
		}
		return name(m)
	})
	s = link().ReplaceAllString(s, "$1")
	s = address().ReplaceAllStringFunc(s, host)
	s = code().ReplaceAllStringFunc(s, func(c string) string {
		if inside := strings.Trim(c, "`"); !quotedID().MatchString(inside) || changes(inside) < 4 {
			return inside
		}
		return ""
	})
	s = reference().ReplaceAllString(s, "")
	s = longID().ReplaceAllStringFunc(s, func(id string) string {
		// Numbers stay, and words with a number at the end.
		if changes(id) < 2 && (len(id) < 17 || strings.Trim(id, "0123456789") != "") {
			return id
		}
		return ""
	})
	s = hollow().ReplaceAllString(unmarked(s), "")
	return apart().ReplaceAllString(strings.Join(strings.Fields(s), " "), "$1$2")
}

// host is what one says of an address.
func host(a string) string {
	inside := strings.Trim(a, "<>")
	end := strings.TrimRight(inside, ".,;:!?")
	if u, err := url.Parse(end); err == nil && u.Host != "" {
		return strings.TrimPrefix(u.Hostname(), "www.") + inside[len(end):]
	}
	return ""
}

// changes counts how often digits and letters follow each other, which they do in few words.
func changes(s string) (n int) {
	last := 0 // 1 for a digit, 2 for a letter
	for _, r := range s {
		kind := 0
		switch {
		case r >= '0' && r <= '9':
			kind = 1
		case unicode.IsLetter(r):
			kind = 2
		default:
			continue
		}
		if last != 0 && kind != last {
			n++
		}
		last = kind
	}
	return n
}

// unmarked takes out Markdown's marks within a line, and emoji.
func unmarked(s string) string {
	all := []rune(strings.NewReplacer("~~", "", "||", "", "`", "").Replace(s))
	at := func(i int) rune {
		if i < 0 || i >= len(all) {
			return ' '
		}
		return all[i]
	}
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	var kept []rune
	for i := 0; i < len(all); i++ {
		before, after := at(i-1), at(i+1)
		switch r := all[i]; {
		case r == '\\' && after < unicode.MaxASCII && (unicode.IsPunct(after) || unicode.IsSymbol(after)):
			kept = append(kept, after)
			i++
		case (r == '*' || r == '_') && !(isWord(before) && isWord(after)) && !(unicode.IsSpace(before) && unicode.IsSpace(after)),
			isEmoji(r),
			r == '\u200d' && isEmoji(before): // joins two
		default:
			kept = append(kept, r)
		}
	}
	return string(kept)
}

func isEmoji(r rune) bool {
	return slices.ContainsFunc([][2]rune{
		{0x231a, 0x23ff}, {0x25fb, 0x27bf}, {0x2b05, 0x2bff}, {0xfe0e, 0xfe0f}, {0x20e3, 0x20e3}, {0x1f000, 0x1faff}, {0xe0020, 0xe007f},
	}, func(of [2]rune) bool { return r >= of[0] && r <= of[1] })
}
