package discord

import (
	"slices"
	"time"

	"discoclaw/internal/chat"
)

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
