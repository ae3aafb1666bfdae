package lifecycle

import (
	"fmt"

	"discoclaw/internal/chat"
)

// A Mode is how much is shown.
type Mode string

const (
	Off Mode = "off"
	// Quiet shows what the channel does not: that a message waits, that it is done without a reply, and that something went wrong.
	Quiet Mode = "quiet"
	Full  Mode = "full"
)

// Emojis are the reactions of the phases.
type Emojis struct{ Received, Processing, Success, Complete, Error chat.Emoji }

// of returns the reaction of a phase; empty for none.
func (e Emojis) of(p Phase, m Mode) chat.Emoji {
	if m == Quiet && (p == Processing || p == Complete) {
		return ""
	}
	switch p {
	case Received:
		return e.Received
	case Processing:
		return e.Processing
	case Success:
		return e.Success
	case Complete:
		return e.Complete
	case Error:
		return e.Error
	}
	return ""
}

// stop is the emoji with which people stop replies.
const stop chat.Emoji = "🛑"

// notShown is the value of a phase that is not shown.
const notShown = "none"

// A Setting is one of the variables that name an emoji.
type Setting struct{ Name, Value string }

// ParseEmojis reads the settings of the phases: received, processing, success, complete and error. The problems are sentences for
// an operator. Two phases with one emoji could not be told apart, and removing one would remove the other.
func ParseEmojis(settings [5]Setting) (Emojis, []string) {
	var problems []string
	var list [5]chat.Emoji
	for i, s := range settings {
		if s.Value == notShown || s.Value == "" {
			continue
		}
		if err := list[i].UnmarshalText([]byte(s.Value)); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", s.Name, err))
			continue
		}
		if list[i].Same(stop) {
			problems = append(problems, fmt.Sprintf("%s: %s stops replies, so it cannot show how far they are; choose another emoji", s.Name, stop))
		}
		for j := range i {
			if list[j] != "" && list[i].Same(list[j]) {
				problems = append(problems, fmt.Sprintf("%s and %s are the same emoji, %s; choose another for one of them", settings[j].Name, s.Name, list[i]))
			}
		}
	}
	return Emojis{list[0], list[1], list[2], list[3], list[4]}, problems
}
