package dialect_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"discoclaw/internal/actions"
)

// The oracle is docs/blocks.md written down as literally as possible,
// without a thought for speed. The parser is compared with it on random texts.

type oracleResult struct {
	Text     string
	Requests []actions.Request
	Failures int
}

func oracle(text string, accepts func(actions.Request) bool) oracleResult {
	const open, close = "<discord-action>", "</discord-action>"
	code := oracleCode(text)
	oracleQuotes(text, code)
	primary := oraclePrimary(text, code)
	outside := false
	for i := range text {
		outside = outside || strings.HasPrefix(text[i:], open) && !code[i]
	}
	count := func(r oracleResult) (n int) {
		for _, req := range r.Requests {
			if accepts(req) {
				n++
			}
		}
		return n
	}
	leftovers := strings.Contains(primary.Text, open) || strings.Contains(primary.Text, close)
	if !outside || !leftovers && count(primary) > 0 {
		return primary
	}
	fallback := oracleFallback(text, code)
	length := func(s string) int { return len(utf16.Encode([]rune(s))) }
	if count(fallback) > count(primary) ||
		leftovers && count(fallback) == count(primary) && length(fallback.Text) < length(primary.Text) {
		return fallback
	}
	return primary
}

var (
	esSpace       = `[\t\n\v\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]`
	leadingSpace  = regexp.MustCompile(`^` + esSpace + `*`)
	trailingSpace = regexp.MustCompile(esSpace + `*$`)
	closingTags   = regexp.MustCompile(`^(` + esSpace + `*</[a-z-]+>)+`)
	newlines      = regexp.MustCompile(`\n{3,}`)
	pairs         = regexp.MustCompile(`(?s)<discord-action>(.*?)</discord-action>`)
)

func oracleTrim(s string) string {
	return trailingSpace.ReplaceAllString(leadingSpace.ReplaceAllString(s, ""), "")
}

func oracleClean(s string) string { return oracleTrim(newlines.ReplaceAllString(s, "\n\n")) }

func (r *oracleResult) decode(payload string) {
	var value any
	if json.Unmarshal([]byte(payload), &value) != nil {
		r.Failures++
		return
	}
	object, _ := value.(map[string]any)
	if name, ok := object["type"].(string); ok {
		r.Requests = append(r.Requests, actions.Request{Type: name, Args: json.RawMessage(payload), Dialect: "blocks"})
	}
}

func oraclePrimary(text string, code []bool) (r oracleResult) {
	const open, close = "<discord-action>", "</discord-action>"
	var out strings.Builder
	for i := 0; i < len(text); {
		if !strings.HasPrefix(text[i:], open) || code[i] {
			out.WriteByte(text[i])
			i++
			continue
		}
		rest := text[i+len(open):]
		rest = rest[len(leadingSpace.FindString(rest)):]
		if !strings.HasPrefix(rest, "{") {
			out.WriteString(open)
			i += len(open)
			continue
		}
		if end := oracleBalance(rest); end > 0 {
			r.decode(rest[:end])
			rest = rest[end:]
			if strings.HasPrefix(rest, close) {
				rest = rest[len(close):]
			} else {
				rest = rest[len(closingTags.FindString(rest)):]
			}
		} else {
			line, _, _ := strings.Cut(rest, "\n")
			rest = rest[len(line):]
			rest = rest[len(closingTags.FindString(rest)):]
		}
		i = len(text) - len(rest)
	}
	r.Text = oracleClean(out.String())
	return r
}

func oracleBalance(s string) int {
	depth, inString := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case inString && s[i] == '\\':
			i++
		case s[i] == '"':
			inString = !inString
		case inString:
		case s[i] == '{':
			depth++
		case s[i] == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

func oracleFallback(text string, code []bool) (r oracleResult) {
	var out strings.Builder
	at := 0
	for _, m := range pairs.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(text[at:m[0]])
		if code[m[0]] {
			out.WriteString(text[m[0]:m[1]])
		} else {
			r.decode(oracleTrim(text[m[2]:m[3]]))
		}
		at = m[1]
	}
	out.WriteString(text[at:])
	r.Text = oracleClean(out.String())
	return r
}

var (
	fenceStart   = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})")
	indentedLine = regexp.MustCompile("^(    |\t)")
)

var (
	quotedLine = regexp.MustCompile(`(?m)^[ \t]*>.*$`)
	quotedRest = regexp.MustCompile(`(?m)^[ \t]*>>> `)
)

// oracleQuotes also marks what is in a Markdown quote.
func oracleQuotes(text string, code []bool) {
	plain := append([]bool(nil), code...)
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			code[i] = true
		}
	}
	for _, m := range quotedLine.FindAllStringIndex(text, -1) {
		mark(m[0], m[1])
	}
	for _, m := range quotedRest.FindAllStringIndex(text, -1) {
		if !plain[m[0]] {
			mark(m[0], len(text))
		}
	}
}

// oracleCode marks every byte that is Markdown code.
func oracleCode(text string) []bool {
	code := make([]bool, len(text)+1)
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			code[i] = true
		}
	}
	lines := strings.SplitAfter(text, "\n")
	starts := make([]int, len(lines)+1)
	for i, line := range lines {
		starts[i+1] = starts[i] + len(line)
	}
	bare := func(i int) string { return strings.TrimSuffix(lines[i], "\n") }

	for i := 0; i < len(lines); i++ { // fences
		m := fenceStart.FindStringSubmatch(bare(i))
		if m == nil {
			continue
		}
		closing := regexp.MustCompile("^[ \t]*" + m[1][:1] + "{" + strconv.Itoa(len(m[1])) + ",}[ \t]*$")
		end := i + 1
		for end < len(lines) && !closing.MatchString(bare(end)) {
			end++
		}
		end = min(end, len(lines)-1)
		mark(starts[i], starts[end+1])
		i = end
	}
	fenced := append([]bool(nil), code...)
	for i := 0; i < len(lines); i++ { // indented code
		if fenced[starts[i]] || !indentedLine.MatchString(bare(i)) || oracleTrim(bare(i)) == "" {
			continue
		}
		last := i
		for j := i; j < len(lines) && !fenced[starts[j]]; j++ {
			blank := oracleTrim(bare(j)) == ""
			if !blank && !indentedLine.MatchString(bare(j)) {
				break
			}
			if !blank {
				last = j
			}
		}
		mark(starts[i], starts[last+1])
		i = last
	}
	blocks := append([]bool(nil), code...)
	for i := 0; i < len(text); i++ { // inline code
		if text[i] != '`' || blocks[i] {
			continue
		}
		run := func(at int) int {
			n := 0
			for at+n < len(text) && text[at+n] == '`' && !blocks[at+n] {
				n++
			}
			return n
		}
		width := run(i)
		for j := i + width; j < len(text) && !blocks[j]; {
			n := run(j)
			if n == width {
				mark(i, j+n)
				width = j + n - i
				break
			}
			j += max(n, 1)
		}
		i += width - 1
	}
	return code
}
