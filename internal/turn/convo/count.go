package convo

// Count says how many turns run, and how much work waits for its turn.
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
