package discord

import (
	"container/list"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// memberTime is the TTL of a member's roles. It spans the actions of one reply, and is short
// enough that a role that is taken away counts.
const memberTime = 10 * time.Second

// members caches the roles of members for memberTime. Discord sends bots changes only if they are
// allowed to see all members, which this one need not be.
type members struct {
	mu    sync.Mutex
	known map[memberKey]*list.Element
	// byAge has the entries, oldest first. All have the same TTL, so expired ones are at the front, and the rest need
	// not be searched.
	byAge list.List
	// everyone has the members of servers on which they were listed.
	everyone map[chat.GuildID]roll
	sights   sightings
}

// A roll is a list of a server's members, by ID.
type roll struct {
	members []chat.Member
	whole   bool // nobody is left out
	until   time.Time
}

type memberKey struct {
	guild chat.GuildID
	user  chat.UserID
}

type remembered struct {
	key memberKey
	chat.Member
	until time.Time
	late  bool // it is from a replayed event, so it may be out of date
}

func newMembers() *members {
	return &members{known: map[memberKey]*list.Element{}, everyone: map[chat.GuildID]roll{}}
}

func (m *members) roll(g chat.GuildID) (roll, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.everyone[g]
	return r, time.Now().Before(r.until)
}

func (m *members) putRoll(g chat.GuildID, list []chat.Member, whole bool) roll {
	m.mu.Lock()
	defer m.mu.Unlock()
	for g, r := range m.everyone {
		if time.Now().After(r.until) {
			delete(m.everyone, g)
		}
	}
	m.everyone[g] = roll{list, whole, time.Now().Add(memberTime)}
	if len(list) <= maxSightings/2 { // more would displace those who spoke
		for _, one := range list {
			m.sights.put(memberKey{g, one.ID}, one)
		}
	}
	return m.everyone[g]
}

func (m *members) get(k memberKey) (chat.Member, bool) {
	r, ok := m.find(k)
	return r.Member, ok && !r.late
}

// guess is get for callers that accept an entry from a replayed event.
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
	m.sights.put(k, v)
}

// drop removes an entry. The caller holds the lock.
func (m *members) drop(e *list.Element) {
	delete(m.known, e.Value.(remembered).key)
	m.byAge.Remove(e)
}

// forget drops a member whom the bot has just changed.
func (m *members) forget(k memberKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.everyone, k.guild)
	m.sights.forget(k)
	if e := m.known[k]; e != nil {
		m.drop(e)
	}
}

const (
	// sightTime is how long a prompt may tell what a member was. Discord does not tell of changes, so nothing is
	// decided by it.
	sightTime    = time.Hour
	maxSightings = 500
)

// sightings are members as the bot saw them last, the latest last.
type sightings []sighting

type sighting struct {
	key memberKey
	chat.Member
	at time.Time
}

func (s *sightings) put(k memberKey, m chat.Member) {
	s.forget(k)
	*s = append(*s, sighting{k, m, time.Now()})
	*s = slices.Delete(*s, 0, max(0, len(*s)-maxSightings))
}

func (s *sightings) forget(k memberKey) {
	*s = slices.DeleteFunc(*s, func(seen sighting) bool { return seen.key == k || time.Since(seen.at) > sightTime })
}

// seen returns the members of a server who were seen lately, the latest first.
func (m *members) seen(g chat.GuildID) (list []chat.Member) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range slices.Backward(m.sights) {
		if s.key.guild == g && time.Since(s.at) <= sightTime {
			list = append(list, s.Member)
		}
	}
	return list
}
