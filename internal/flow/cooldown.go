package flow

import (
	"fmt"
	"sync"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
)

// cooldownPeriod is the period in which a person has at most PipelineOptions.UserTurns turns.
const cooldownPeriod = 10 * time.Minute

// TooManyTurns is why an event is dropped whose author has had all turns of the period. A turn costs money, whoever
// begins it.
const TooManyTurns Reason = "its author has had too many turns"

// A cooldown counts the turns of each person. It is in memory only: a restart forgives.
type cooldown struct {
	turns rateLimiter[chat.UserID]
	told  rateLimiter[chat.UserID]
}

// allow counts a turn of a person, and reports whether they may have it. The notice says otherwise, once in a period.
func (c *cooldown) allow(who chat.UserID, most int) (notice string, ok bool) {
	if c.spend(who, most) {
		return "", true
	}
	if !c.told.allow(who, 1, cooldownPeriod) {
		return "", false
	}
	return fmt.Sprintf("⚠️ I answer one person at most %s in ten minutes. Ask me again <t:%d:R>.",
		chat.Counted(most, "time", "times"), c.turns.oldest(who).Add(cooldownPeriod).Unix()), false
}

// spend counts a turn of a person, and reports whether they may have it. It is not told if they may not.
func (c *cooldown) spend(who chat.UserID, most int) bool {
	return most == 0 || c.turns.allow(who, most, cooldownPeriod)
}

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
