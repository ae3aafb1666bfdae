package play

import (
	"fmt"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
)

// A silenceRecord says why a message got no answer.
type silenceRecord struct {
	Channel chat.ChannelID `json:"channel"`
	Message chat.MessageID `json:"message"`
	Why     string         `json:"why"`
}

// silenceOf explains why a person's message got no answer. It is false if there is nothing to explain, as with messages of bots, and
// those that a part of the bot sees to without an answer.
func silenceOf(m chat.Message, why access.Refusal) (silenceRecord, bool) {
	s := silenceRecord{Channel: m.Place.Channel, Message: m.ID}
	switch why {
	case access.NotServed:
		s.Why = fmt.Sprintf("No answer: %s is not on the bot’s list of people.", m.Author.Name)
	case access.ChannelNotFor:
		s.Why = "No answer: the bot does not listen in this channel."
	case access.Silenced:
		s.Why = "No answer: the bot was asked to be silent here until somebody mentions it."
	case access.Unaddressed:
		s.Why = "No answer: this was not said to the bot. Mention it, or reply to it."
	}
	return s, s.Why != "" && !m.Author.Bot && !m.System
}
