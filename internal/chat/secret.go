package chat

import (
	"regexp"
	"strings"
)

// secret is how people tell the bot a secret. It is generous: a slip of the pen must
// not tell a model what was meant for a command. People also put the bot's name first,
// or that of its role, copy the marks around a command along with it, and write what
// they should have chosen from the menu.
var secret = regexp.MustCompile("(?i)^(?:<@[!&]?[0-9]+>|[\\s\\p{Cf}`*_~|>\"'\\\\,:])*?([`*_~|]*)\\s*(?:[!！]|/(?:discoclaw)?)\\s*secret")

// CutSecret says whether a text is, or was meant to be, the command that tells the bot
// a secret, and returns what follows it, without the marks around it all. No model, log
// or record may have such a text.
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
