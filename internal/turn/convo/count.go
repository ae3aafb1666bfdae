package convo

import "discoclaw/internal/chat"

// Busy reports whether a turn runs or waits in a conversation.
func (c *Conversations) Busy(ch chat.ChannelID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, busy := c.waiting[ch]
	return busy
}

// Waits reports whether work is queued in a conversation.
func (c *Conversations) Waits(ch chat.ChannelID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting[ch]) > 0
}

// Count returns the numbers of running turns and of queued works.
func (c *Conversations) Count() (running, waiting int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, queue := range c.waiting {
		waiting += len(queue)
	}
	for _, t := range c.running {
		if !t.apart {
			running++
		}
	}
	return running, waiting
}
