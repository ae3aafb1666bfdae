package flow

import (
	"sync"

	"discoclaw/internal/chat"
)

// users caches the users who are served, since not all events of Discord have their names. The allow list bounds
// its size. Its zero value is empty.
type users struct {
	mu   sync.Mutex
	seen map[chat.UserID]chat.User
}

// remember caches a user with a name. For a user without one, it returns the cached user, if there is one.
func (p *users) remember(u chat.User) chat.User {
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
