package dialect

import (
	"slices"
	"strings"
)

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
