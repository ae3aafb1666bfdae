package discord

import (
	"container/list"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// memberTime is how long a member's roles are taken as known. It spans the actions
// of one reply, and is short enough for a role that is taken away to count.
const memberTime = 10 * time.Second

// members remembers for a moment which roles people have. Discord tells bots about
// changes only if they are allowed to see all members, which this one need not be.
type members struct {
	mu    sync.Mutex
	known map[memberKey]*list.Element
	// byAge has what is known, as remembered, oldest first. All of it is kept for the same time, so what expires is at the
	// front, and nobody has to look at the rest.
	byAge list.List
}

type memberKey struct {
	guild chat.GuildID
	user  chat.UserID
}

type remembered struct {
	key memberKey
	chat.Member
	until time.Time
	late  bool // it was so when they did something that was told late
}

func newMembers() *members { return &members{known: map[memberKey]*list.Element{}} }

func (m *members) get(k memberKey) (chat.Member, bool) {
	r, ok := m.find(k)
	return r.Member, ok && !r.late
}

// guess is get for what need not be of now.
func (m *members) guess(k memberKey) (chat.Member, bool) {
	r, ok := m.find(k)
	return r.Member, ok
}

func (m *members) find(k memberKey) (r remembered, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.known[k]; e != nil {
		r = e.Value.(remembered)
	}
	return r, time.Now().Before(r.until)
}

func (m *members) put(k memberKey, v chat.Member, late bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for e := m.byAge.Front(); e != nil && now.After(e.Value.(remembered).until); e = m.byAge.Front() {
		m.drop(e)
	}
	if old := m.known[k]; old != nil {
		if late && !old.Value.(remembered).late {
			return
		}
		m.drop(old)
	}
	m.known[k] = m.byAge.PushBack(remembered{k, v, now.Add(memberTime), late})
}

// drop is for who holds the lock.
func (m *members) drop(e *list.Element) {
	delete(m.known, e.Value.(remembered).key)
	m.byAge.Remove(e)
}

// forget is for somebody about whom the bot has just changed something.
func (m *members) forget(k memberKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.known[k]; e != nil {
		m.drop(e)
	}
}
