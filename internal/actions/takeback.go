package actions

import (
	"fmt"

	"discoclaw/internal/chat"
)

// TakeBack are the inverses of an action that has posted a message, which is deleted again. What it is completes "delete [a poll] in
// #ops". The type is of the category messaging; if that is switched off, the message stays.
func TakeBack(what string, at chat.Place) []Inverse {
	return []Inverse{Reverse(fmt.Sprintf("delete [%s](%s) in %s", what, at.Link(), at.Channel.Mention()), "deleteMessage",
		struct {
			Channel chat.ChannelID `json:"channelId"`
			Message chat.MessageID `json:"messageId"`
		}{at.Channel, at.Message})}
}
