package dialect

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Signals is the dialect of RAI Chat: [REMEMBER:Ana prefers tea], [SEARCH:tide times]. The names are
// in capitals, and brackets in a payload are even or escaped.
func Signals() Pass { return signals{} }

type signals struct{}

const (
	signalDialect = "signals"
	maxPayload    = 2000 // characters
)

func (signals) Name() string { return signalDialect }

// A bracket is an opening one that may begin a signal.
type bracket struct {
	Span        // its end is zero if it is not closed on its line
	name string // of the signal
	body int    // where the payload begins
}

// Find takes every complete signal outside of code. Of nested ones, the outer one counts.
func (signals) Find(r *Reply) (found []Region) {
	eachLine(r, func(list []bracket, _ int) bool {
		at := 0
		for _, b := range list {
			if b.Start < at || b.End == 0 || !r.Free(b.Start) {
				continue
			}
			if more := b.read(r); more != nil {
				found = append(found, more...)
				at = b.End
			}
		}
		return true
	})
	return found
}

// read returns the regions of a signal, or nil if it is text.
func (b bracket) read(r *Reply) []Region {
	payload := r.Text[b.body : b.End-1]
	if strings.HasPrefix(r.Text[b.End:], "(") || tooLong(payload) {
		return nil
	}
	payload = strings.TrimFunc(unescape.Replace(payload), isSpace)
	if payload == "" {
		return nil
	}
	list := signalKinds[b.name](r, payload)
	if list == nil {
		return nil
	}
	if list[0].Instead != "" && list[0].Request.Quiet && b.alone(r.Text) {
		list[0].Instead, list[0].Request.Quiet = "", false // a Done line says it
	}
	return over(b.Span, list...)
}

var unescape = strings.NewReplacer(`\[`, "[", `\]`, "]", `\\`, `\`)

func tooLong(payload string) bool {
	return len(payload) > maxPayload*utf8.UTFMax || len(payload) > maxPayload && utf8.RuneCountInString(payload) > maxPayload
}

// alone reports whether a line has nothing else.
func (b bracket) alone(text string) bool {
	before, behind := b.Start, skipBlanks(text, b.End)
	for before > 0 && isBlank(text[before-1]) {
		before--
	}
	return (before == 0 || text[before-1] == '\n') && (behind == len(text) || text[behind] == '\n')
}

// eachLine calls visit with the brackets of each line that has some, and with the end of that, until it returns false.
func eachLine(r *Reply, visit func(list []bracket, end int) bool) {
	for at := 0; ; {
		b, ok := nextBracket(r.Text, at, len(r.Text))
		if !ok {
			return
		}
		at = endOfLine(r.Text, b.Start)
		if !visit(brackets(r.Text, b.Start, at), at) {
			return
		}
	}
}

// nextBracket returns the first bracket that may begin a signal.
func nextBracket(text string, at, end int) (bracket, bool) {
	for {
		i := strings.IndexByte(text[at:end], '[')
		if i < 0 {
			return bracket{}, false
		}
		at += i
		if b, ok := bracketAt(text, at); ok {
			return b, true
		}
		at++
	}
}

func bracketAt(text string, at int) (bracket, bool) {
	end := at + 1
	for end < len(text) && (text[end] >= 'A' && text[end] <= 'Z' || text[end] == '_') {
		end++
	}
	if end == at+1 {
		return bracket{}, false
	}
	colon := skipBlanks(text, end)
	b := bracket{Span: Span{Start: at}, name: text[at+1 : end], body: colon + 1}
	escaped := at > 0 && text[at-1] == '\\'
	return b, colon < len(text) && text[colon] == ':' && !escaped && signalKinds[b.name] != nil
}

// brackets pairs the brackets between the offsets, in one go: looking for the end of each by itself would
// take quadratic time on brackets that never close.
func brackets(text string, at, end int) (list []bracket) {
	var open []int // index into list, or -1 for a bracket of no signal
	for ; at < end; at++ {
		switch text[at] {
		case '\\':
			if at+1 < end && strings.IndexByte(`[]\`, text[at+1]) >= 0 {
				at++
			}
		case '[':
			index := -1
			if b, ok := bracketAt(text, at); ok {
				index = len(list)
				list = append(list, b)
			}
			open = append(open, index)
		case ']':
			if last := len(open) - 1; last >= 0 {
				if open[last] >= 0 {
					list[open[last]].End = at + 1
				}
				open = open[:last]
			}
		}
	}
	return list
}

// Preview waits only on the last line: for the end of a signal, for what follows it, and for a backtick that makes
// code of it.
func (signals) Preview(r *Reply) (hidden []Region, cut int) {
	cut = partialSignal(r)
	eachLine(r, func(list []bracket, end int) bool {
		at, line := 0, strings.LastIndexByte(r.Text[:list[0].Start], '\n')+1
		ticks, counted := 0, line
		for _, b := range list {
			ticks, counted = ticks+strings.Count(r.Text[counted:b.Start], "`"), b.Start
			waits := end == len(r.Text) && !r.Inert(b.Start) && (b.open(r.Text) || b.End == end || b.End > 0 && ticks%2 == 1)
			switch {
			case b.Start < at || r.claimed.contain(b.Start):
			case waits || r.Shaky(b.Start):
				cut = min(cut, b.Start)
				return false
			case b.End > 0 && !r.Inert(b.Start):
				if more := b.read(r); more != nil {
					hidden = append(hidden, more...)
					at = b.End
				}
			}
		}
		return true
	})
	return hidden, cut
}

// open reports whether a bracket of the last line may still become a signal.
func (b bracket) open(text string) bool { return b.End == 0 && !tooLong(text[b.body:]) }

// partialSignal is the offset of a signal at the end of the text of which not even the name is whole.
func partialSignal(r *Reply) int {
	i := strings.LastIndexByte(r.Text, '[')
	if i < 0 || !r.Free(i) || i > 0 && r.Text[i-1] == '\\' {
		return len(r.Text)
	}
	name := strings.TrimRight(r.Text[i+1:], " \t")
	whole := name == r.Text[i+1:]
	if slices.ContainsFunc(signalNames, func(full string) bool {
		return full == name || whole && strings.HasPrefix(full, name)
	}) {
		return i
	}
	return len(r.Text)
}
