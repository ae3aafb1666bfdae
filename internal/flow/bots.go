package flow

import (
	"sync"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
)

// botTalk is how many turns bots may have in a channel before a person says something there.
const botTalk = 10

// endlessBots is the refusal of a bot's message after that. Without it, two bots could answer each other forever.
const endlessBots access.Refusal = "bots have talked long enough without a person"

// botTalks counts the messages of bots that were answered in each channel since a person spoke there. The zero value
// is ready to use.
type botTalks struct {
	mu      sync.Mutex
	answers map[chat.ChannelID]int
}

// allow counts a message of a bot, unless there have been too many.
func (b *botTalks) allow(ch chat.ChannelID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answers == nil {
		b.answers = map[chat.ChannelID]int{}
	}
	if b.answers[ch] >= botTalk {
		return false
	}
	b.answers[ch]++
	return true
}

// person records that a person has spoken in a channel.
func (b *botTalks) person(ch chat.ChannelID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.answers, ch)
}
