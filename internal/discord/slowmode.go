package discord

import (
	"maps"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// slowmode records when members wrote last in channels with slow mode, themselves or through the bot. Discord holds
// nothing back that a bot sends.
type slowmode struct {
	mu   sync.Mutex
	last map[writer]wrote
}

type writer struct {
	channel chat.ChannelID
	user    chat.UserID
}

type wrote struct {
	id      chat.MessageID // of their own latest message
	itself  time.Time      // when they wrote it
	through time.Time      // when the bot last sent something for them
}

// maxWriters bounds the memory for writers.
const maxWriters = 10000

func newSlowmode() *slowmode { return &slowmode{last: map[writer]wrote{}} }

// put sets the record of a writer. The lock is held.
func (s *slowmode) put(w writer, last wrote, now time.Time) {
	if len(s.last) >= maxWriters {
		maps.DeleteFunc(s.last, func(_ writer, old wrote) bool {
			return now.Sub(old.itself) > maxSlowmode && now.Sub(old.through) > maxSlowmode
		})
	}
	for full := range s.last {
		if len(s.last) < maxWriters {
			break
		}
		delete(s.last, full)
	}
	s.last[w] = last
}

// heard records a message by a member. The first message of a forum's post, which has the ID of the post, counts
// for the forum.
func (c *Client) heard(m chat.Message) {
	ch := m.Place.Channel
	if string(m.ID) == string(ch) && m.Place.Parent != "" {
		ch = m.Place.Parent
	}
	if known, ok := c.cache.channel(ch); !ok || known.Slowmode == 0 {
		return
	}
	s, w := c.slow, writer{ch, m.Author.ID}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.last[w]
	if m.Sent.After(last.itself) {
		last.id, last.itself = m.ID, m.Sent
		s.put(w, last, c.Now())
	}
}

// Pace records that something is posted for a member in a channel, unless slow mode forbids that until a time, which
// is not zero then. Their message request, which asks for it, does not count. If it was not posted after all,
// release takes the record back.
func (c *Client) Pace(ch chat.Channel, who chat.UserID, request chat.MessageID) (until time.Time, release func()) {
	s, w, now := c.slow, writer{ch.ID, who}, c.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.last[w]
	latest := was.through
	if was.itself.After(latest) && was.id != request {
		latest = was.itself
	}
	if free := latest.Add(ch.Slowmode); !latest.IsZero() && free.After(now) {
		return free, func() {}
	}
	next := was
	next.through = now
	s.put(w, next, now)
	return time.Time{}, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		last := s.last[w]
		last.through = was.through
		s.put(w, last, now)
	}
}
