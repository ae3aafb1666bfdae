package flow

import (
	"sync"

	"discoclaw/internal/chat"
)

// people remembers what those who are served are called, since Discord does not always
// say. There are no more of them than the list has. Its zero value knows nobody.
type people struct {
	mu   sync.Mutex
	seen map[chat.UserID]chat.User
}

// met returns somebody with their name, if it is known now or was before.
func (p *people) met(u chat.User) chat.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u.Name == "" {
		if known, ok := p.seen[u.ID]; ok {
			return known
		}
		return u
	}
	if p.seen == nil {
		p.seen = map[chat.UserID]chat.User{}
	}
	p.seen[u.ID] = u
	return u
}
