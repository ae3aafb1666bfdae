package pipeline

import (
	"fmt"
	"time"

	"discoclaw/internal/chat"
)

// cooldownPeriod is the period in which a person has at most Options.UserTurns turns.
const cooldownPeriod = 10 * time.Minute

// TooManyTurns is why an event is dropped whose author has had all turns of the period. A turn costs money, whoever
// begins it.
const TooManyTurns Reason = "its author has had too many turns"

// A cooldown counts the turns of each person. It is in memory only: a restart forgives.
type cooldown struct {
	turns RateLimiter[chat.UserID]
	told  RateLimiter[chat.UserID]
}

// allow counts a turn of a person, and reports whether they may have it. The notice says otherwise, once in a period.
func (c *cooldown) allow(who chat.UserID, most int) (notice string, ok bool) {
	if c.spend(who, most) {
		return "", true
	}
	if !c.told.Allow(who, 1, cooldownPeriod) {
		return "", false
	}
	return fmt.Sprintf("⚠️ I answer one person at most %s in ten minutes. Ask me again <t:%d:R>.",
		chat.Counted(most, "time", "times"), c.turns.Oldest(who).Add(cooldownPeriod).Unix()), false
}

// spend counts a turn of a person, and reports whether they may have it. It is not told if they may not.
func (c *cooldown) spend(who chat.UserID, most int) bool {
	return most == 0 || c.turns.Allow(who, most, cooldownPeriod)
}
