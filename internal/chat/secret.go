package chat

import (
	"regexp"
	"strings"
)

// secret matches the command that sets a secret. It is generous: a typo must not send a model
// what was meant for the command. People also put a mention of the bot or its role first, copy
// the Markdown around a command along with it, and type the slash command as text.
var secret = regexp.MustCompile("(?i)^(?:<@[!&]?[0-9]+>|[\\s\\p{Cf}`*_~|>\"'\\\\,:])*?([`*_~|]*)\\s*(?:[!！]|/(?:discoclaw)?)\\s*secret")

// CutSecret reports whether a text is, or was meant to be, the command that sets a secret, and
// returns the text after the command, without the Markdown around it. Such a text must not
// reach a model, a log or the database.
func CutSecret(text string) (after string, ok bool) {
	at := secret.FindStringSubmatchIndex(text)
	if at == nil {
		return text, false
	}
	after, marks := strings.TrimSpace(text[at[1]:]), text[at[2]:at[3]]
	for i := range marks {
		after = strings.TrimSuffix(after, marks[i:i+1])
	}
	return after, true
}
