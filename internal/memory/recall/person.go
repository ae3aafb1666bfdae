package recall

import (
	"slices"

	"discoclaw/internal/chat"
)

// Forget drops what waits to be written of a person: their messages, and the bot's answers to them. It is called before
// their rows are erased, see [store.DB.Erase].
func (e *Engine) Forget(who chat.UserID) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue = slices.DeleteFunc(e.queue, func(c *change) bool {
		theirs := c.kept != nil && (c.kept.author == who || c.kept.asker == who)
		if theirs {
			e.puts--
		}
		return theirs
	})
}
