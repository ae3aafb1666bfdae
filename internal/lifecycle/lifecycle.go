// Package lifecycle shows on people's messages how far the bot has come with them, by one reaction at a time.
//
// [Turn.Decide] says how a turn ends: whether it goes on by itself, and in which [Phase]. A [Driver] shows phases. Nothing waits
// for it: a reaction that cannot be added is no reason for a reply to be late, or to fail.
package lifecycle

import (
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/class"
)

// A Phase is how far the bot has come with a message.
type Phase uint8

const (
	Nothing    Phase = iota // it has not begun, or it is over and there is nothing to show
	Received                // accepted, and to be answered
	Processing              // its turn runs, or goes on by itself
	Success                 // over, without a reply
	Complete                // over, and the reply was delivered
	Error                   // over, and failed
)

// isTerminal reports whether a phase is one in which a message is over.
func (p Phase) isTerminal() bool { return p >= Success }

// after returns the phase that a message is in when next is told of one in phase p: phases only move forward.
func (p Phase) after(next Phase) Phase {
	if next != Nothing && next <= p || p.isTerminal() {
		return p
	}
	return next
}

// A Turn is what is known of a turn when it is decided how it ends.
type Turn struct {
	Stopped      bool // by a person
	Failed       bool // the model did not answer, or something went wrong
	Text         bool // there is an answer to deliver
	ActionFailed bool // and that is not told in an answer
	Class        class.Class
	Count        int  // how often the turns before it went on by themselves
	Max          int  // how often they may
	Delivered    bool // Discord has confirmed a message with text of the answer
}

// Decide reports whether a turn goes on by itself, and returns the phase of its message.
func (t Turn) Decide() (goesOn bool, p Phase) {
	switch {
	case t.Stopped:
		return false, Nothing
	case t.Failed:
		return false, Error
	case !t.Text && t.ActionFailed:
		return false, Error
	case !t.Text:
		return false, Success
	case t.Class == class.Status && t.Count < t.Max:
		return true, Processing
	case !t.Delivered:
		return false, Error
	}
	switch t.Class {
	case class.Status:
		return false, Success
	case class.Question:
		return false, Nothing
	case class.Blocker, class.Error:
		return false, Error
	}
	return false, Complete
}

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
