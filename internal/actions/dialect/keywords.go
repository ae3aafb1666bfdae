package dialect

import (
	"slices"
	"strings"
)

// Keywords is the dialect of Eliza's bracketed words: [LIKE], [IGNORE], [STOP], each on a line of its own or with others
// of its kind. Like is the emoji of [LIKE].
func Keywords(like string) Pass { return keywords{like} }

type keywords struct{ like string }

const keywordDialect = "keywords"

func (keywords) Name() string { return keywordDialect }

// keywordControls are what keywords say about the reply; [LIKE] and [RETWEET] are requests instead.
var keywordControls = map[string]Control{
	"LIKE": {}, "RETWEET": {}, "QUOTE": {Quote: true}, "REPLY": {Reply: true},
	"RESPOND": {Respond: true}, "IGNORE": {NoReply: true}, "STOP": {Stop: true, NoReply: true},
	"YES": {Decision: Yes}, "NO": {Decision: No},
}

var keywordNames = namesIn(keywordControls)

// social are those that count anywhere in the text of an envelope.
var social = []string{"LIKE", "RETWEET", "QUOTE", "REPLY"}

// A keyword is one in its place.
type keyword struct {
	Span
	name string
}

// Find takes lines of nothing but keywords, and in the text of an envelope some of them anywhere.
func (k keywords) Find(r *Reply) (found []Region) {
	at := 0
	for i := range openings(r.Text, '[') {
		w, ok := keywordAt(r.Text, i)
		if !ok || i < at || !r.Free(i) {
			continue
		}
		line, end := keywordLine(r.Text, i)
		switch {
		case len(line) > 0 && (end == len(r.Text) || r.Text[end] == '\n'):
		case r.wrapped && slices.Contains(social, w.name) && (i == 0 || r.Text[i-1] != '\\'):
			line = []keyword{w}
		default:
			continue
		}
		for _, w := range line {
			found = append(found, k.region(w))
			at = w.End
		}
	}
	return found
}

func (k keywords) region(w keyword) Region {
	region := Region{Tidy: true}
	switch w.name {
	case "LIKE":
		region = compiled(keywordDialect, "react", map[string]any{"emoji": k.like})
		region.Request.Quiet = true
	case "RETWEET":
		region = compiled(keywordDialect, "crosspost", nil)
	}
	region.Span, region.Control = w.Span, keywordControls[w.name]
	return region
}

// keywordLine reads the line whose first bracket is at i, and returns its keywords and where it stopped, which is
// the end of the line if it has nothing else. It has none if something stands before them.
func keywordLine(text string, i int) (line []keyword, end int) {
	for before := i; before > 0 && text[before-1] != '\n'; before-- {
		if !isBlank(text[before-1]) {
			return nil, i + 1
		}
	}
	for {
		w, ok := keywordAt(text, i)
		if !ok {
			return line, i
		}
		line = append(line, w)
		i = skipBlanks(text, w.End)
	}
}

// keywordAt reads a keyword.
func keywordAt(text string, i int) (keyword, bool) {
	const shortest, longest = len("[NO]"), len("[RETWEET]")
	end := strings.IndexByte(text[i:min(i+longest, len(text))], ']') + 1
	if end < shortest || text[i] != '[' {
		return keyword{}, false
	}
	name := strings.ToUpper(text[i+1 : i+end-1])
	_, ok := keywordControls[name]
	return keyword{Span{i, i + end}, name}, ok
}

// Preview waits on the last line, as long as that has nothing but keywords and perhaps the beginning of one.
func (k keywords) Preview(r *Reply) (hidden []Region, cut int) {
	cut = len(r.Text)
	last := strings.LastIndexByte(r.Text, '\n') + 1
	if i := skipBlanks(r.Text, last); i < len(r.Text) && r.Text[i] == '[' && r.Free(i) {
		_, end := keywordLine(r.Text, i)
		if isPartialKeyword(r.Text[end:]) {
			cut = i
		}
	}
	if strings.HasSuffix(r.Text, "`") { // otherwise nothing is shaky
		for i := range openings(r.Text, '[') {
			if line, _ := keywordLine(r.Text, i); len(line) > 0 && r.Shaky(i) {
				cut = min(cut, i)
				break
			}
		}
	}
	return k.Find(r), cut
}

func isPartialKeyword(tail string) bool {
	if tail == "" {
		return true
	}
	name, ok := strings.CutPrefix(strings.ToUpper(tail), "[")
	return ok && slices.ContainsFunc(keywordNames, func(full string) bool { return strings.HasPrefix(full, name) })
}

// A Choice is what a model says about a message that does not address the bot.
type Choice string

const (
	NoChoice Choice = "" // respond if the bot was addressed, or else ignore
	Respond  Choice = "RESPOND"
	Ignore   Choice = "IGNORE"
	Stop     Choice = "STOP"
)

var choices = []Choice{Respond, Ignore, Stop}

// RespondDecision reads the answer to the question whether to respond. The first line decides, or else what stands in
// brackets, or else the words in capitals, if they agree.
func RespondDecision(text string) Choice {
	first, _, _ := strings.Cut(strings.TrimFunc(text, isSpace), "\n")
	first = strings.TrimRight(strings.TrimFunc(first, isSpace), ".!")
	first = strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(first, "["), "]"))
	if c := Choice(first); slices.Contains(choices, c) {
		return c
	}
	upper := strings.ToUpper(text)
	if c, any := only(func(c Choice) bool { return strings.Contains(upper, "["+string(c)+"]") }); any {
		return c
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r >= 0x80 || !isNamePart(byte(r)) })
	c, _ := only(func(c Choice) bool { return slices.Contains(words, string(c)) })
	return c
}

// only returns the one choice that is there. Any reports whether there is one at all.
func only(there func(Choice) bool) (c Choice, any bool) {
	found := slices.DeleteFunc(slices.Clone(choices), func(c Choice) bool { return !there(c) })
	if len(found) == 1 {
		c = found[0]
	}
	return c, len(found) > 0
}

// Boolean reads the answer to a question of yes or no. Without one, ok is false.
func Boolean(text string) (value, ok bool) {
	const around = "[](){}\"'“”‘’`*"
	text = strings.TrimFunc(text, func(r rune) bool { return isSpace(r) || strings.ContainsRune(around, r) })
	text = strings.TrimRightFunc(text, func(r rune) bool { return isSpace(r) || strings.ContainsRune(around+".!,", r) })
	switch strings.ToUpper(text) {
	case "YES", "Y", "TRUE", "T", "1", "ON", "ENABLE":
		return true, true
	case "NO", "N", "FALSE", "F", "0", "OFF", "DISABLE":
		return false, true
	}
	return false, false
}
