package chat

import "regexp"

// secret is how people tell the bot a secret. It is generous: a slip of the pen must
// not tell a model what was meant for a command. People also put the bot's name first.
var secret = regexp.MustCompile(`(?i)^\s*(?:<@!?[0-9]+>\s*)*[!！]\s*secret`)

// CutSecret says whether a text is, or was meant to be, the command that tells the bot
// a secret, and returns what follows it. No model, log or record may have such a text.
func CutSecret(text string) (after string, ok bool) {
	head := secret.FindString(text)
	if head == "" {
		return text, false
	}
	return text[len(head):], true
}
