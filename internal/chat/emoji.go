package chat

import (
	"fmt"
	"strings"
)

// An Emoji is a Unicode emoji, or name:id for one that a server made.
type Emoji string

// UnmarshalText accepts the character itself, :thumbsup: for the common ones, and
// <:name:id> or name:id for a server's own.
func (e *Emoji) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if inner, ok := strings.CutPrefix(s, "<"); ok && strings.HasSuffix(inner, ">") {
		s = strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(inner, "a"), ">"), ":")
	}
	if parts := strings.Split(s, ":"); len(parts) == 3 && parts[0] == "a" {
		s = parts[1] + ":" + parts[2] // an animated one, which goes by the same name
	}
	if name, id, ok := strings.Cut(s, ":"); ok && name != "" && IsID(id) {
		*e = Emoji(s)
		return nil
	}
	if code := strings.Trim(s, ":"); code != s || isWord(s) {
		known, ok := shortcodes[strings.ToLower(code)]
		if !ok {
			return fmt.Errorf("there is no emoji %q here; write the character itself, such as 👍", Clip(s, 40))
		}
		*e = Emoji(known)
		return nil
	}
	if s == "" || strings.ContainsAny(s, " \t\r\n/<>:") || Length(s) > 32 {
		return fmt.Errorf("%q is not an emoji", Clip(s, 40))
	}
	*e = Emoji(s)
	return nil
}

// Same reports whether two spellings mean the same emoji: a variation selector makes
// no difference, and a server's own is compared by its ID.
func (e Emoji) Same(other Emoji) bool { return e.key() == other.key() }

func (e Emoji) key() string {
	if _, id, ok := strings.Cut(string(e), ":"); ok {
		return id
	}
	return strings.ReplaceAll(string(e), "\uFE0F", "")
}

// isWord reports whether s is plain letters, which no emoji is.
func isWord(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' {
			return false
		}
	}
	return s != ""
}

// EmojiNamed returns one of the emoji that people use most by its name, as in thumbsup.
func EmojiNamed(name string) (e Emoji, ok bool) {
	known, ok := shortcodes[strings.ToLower(name)]
	return Emoji(known), ok
}

// shortcodes are the names models use for the emoji people use most.
var shortcodes = map[string]string{
	"thumbsup": "👍", "+1": "👍", "thumbs_up": "👍", "thumbsdown": "👎", "-1": "👎", "thumbs_down": "👎",
	"heart": "❤️", "fire": "🔥", "tada": "🎉", "rocket": "🚀", "eyes": "👀", "clap": "👏", "pray": "🙏",
	"wave": "👋", "ok_hand": "👌", "muscle": "💪", "100": "💯", "star": "⭐", "sparkles": "✨",
	"white_check_mark": "✅", "check": "✅", "heavy_check_mark": "✔️", "x": "❌", "cross": "❌", "warning": "⚠️",
	"question": "❓", "exclamation": "❗", "bulb": "💡", "pushpin": "📌", "pin": "📌", "memo": "📝", "bug": "🐛",
	"joy": "😂", "smile": "😄", "grin": "😁", "laughing": "😆", "blush": "😊", "wink": "😉", "thinking": "🤔",
	"cry": "😢", "sob": "😭", "rage": "😡", "scream": "😱", "sunglasses": "😎", "heart_eyes": "😍", "party": "🥳",
	"robot": "🤖", "trophy": "🏆", "stop_sign": "🛑", "octagonal_sign": "🛑", "hourglass": "⏳", "zap": "⚡",
	"one": "1️⃣", "two": "2️⃣", "three": "3️⃣", "four": "4️⃣", "five": "5️⃣",
}

// A ServerEmoji is an emoji that a server made.
type ServerEmoji struct {
	ID        string
	Name      string
	Animated  bool
	Available bool // false while the server has not enough boosts for it
}

// Markup is the emoji as it is written in a message.
func (e ServerEmoji) Markup() string {
	if e.Animated {
		return fmt.Sprintf("<a:%s:%s>", e.Name, e.ID)
	}
	return fmt.Sprintf("<:%s:%s>", e.Name, e.ID)
}
