package chat

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// secret matches the command that sets a secret. It is generous: a typo must not send a model
// what was meant for the command. People also put a mention of the bot or its role first, make a
// list or a heading of it, copy the Markdown around a command along with it, type the slash command as
// text, and write on phones that double, capitalise or widen characters. What comes after other words on a line is one
// only if it sets something.
var secret = pattern("(?im)" +
	"(?:^(?:<@[!&]?[0-9]+>|[0-9]{1,3}[.)]|[\\s`*_~|>\"'\\\\,:;#+•·‣▪●○–—…“”‘’„«»(\\[{-])*?([`*_~|]*)\\s*" + sign + "|" + sign + "(?:[ \\t]*set)?[ \\t]+\\S+[ \\t]*=)")

// pattern compiles a pattern when it is first used, so that it does not slow the start.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// sign is what the command begins with, and its name.
const sign = "(?:[!！¡❗❕‼]+|[/／](?:discoclaw)?)\\s*[sｓ][eéｅ][cｃ][rｒ][eéｅ][tｔ]"

// CutSecret reports whether a text is, or was meant to be, the command that sets a secret, and
// returns the text after the command, without the Markdown around it and without invisible characters. Such a text must
// not reach a model, a log or the database.
func CutSecret(text string) (after string, ok bool) {
	seen := strings.Map(visible, text)
	at := secret().FindStringSubmatchIndex(seen)
	if at == nil {
		return text, false
	}
	name := signed().FindStringIndex(seen[at[0]:])
	after, marks := strings.TrimSpace(seen[at[0]+name[1]:]), ""
	if at[2] >= 0 {
		marks = seen[at[2]:at[3]]
	}
	for i := range marks {
		after = strings.TrimSuffix(after, marks[i:i+1])
	}
	return after, true
}

var signed = pattern("(?i)" + sign)

// visible drops characters that cannot be seen, among them the selectors that make an emoji of an exclamation mark.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
		return -1
	}
	return r
}
