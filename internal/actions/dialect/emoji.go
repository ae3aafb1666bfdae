package dialect

import (
	"strings"

	"discoclaw/internal/chat"
)

// Emoji returns the emoji that a model means: name:id for a mention of a server's own, the character for one of the names that
// models use, and anything else as it is, but for the colons around it.
func Emoji(written string) string {
	s := strings.TrimFunc(written, isSpace)
	if inner, ok := strings.CutPrefix(s, "<"); ok && strings.HasSuffix(inner, ">") && strings.Count(inner, ":") == 2 {
		return strings.TrimPrefix(strings.TrimSuffix(inner, ">"), ":")
	}
	if len(s) > 2 && strings.HasPrefix(s, ":") && strings.HasSuffix(s, ":") {
		s = s[1 : len(s)-1]
	}
	if known, ok := chat.EmojiNamed(s); ok {
		return string(known)
	}
	return s
}
