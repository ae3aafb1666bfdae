package chat

import "fmt"

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
