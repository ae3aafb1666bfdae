package transcript

import (
	"context"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// unheard are the people who do not want to be heard.
type unheard struct {
	storing sync.Mutex // held while a change is stored, so that changes are stored in their order

	mu     sync.RWMutex
	people map[chat.UserID]bool // nil until it is loaded
}

// Load reads who does not want to be heard. Until it has, nobody is.
func (s *Store) Load(ctx context.Context) error {
	s.unheard.storing.Lock()
	defer s.unheard.storing.Unlock()
	list, err := store.All(ctx, s.db, store.Column[chat.UserID], "SELECT person FROM unheard")
	if err != nil {
		return store.Plain(err)
	}
	s.unheard.mu.Lock()
	defer s.unheard.mu.Unlock()
	s.unheard.people = map[chat.UserID]bool{}
	for _, who := range list {
		s.unheard.people[who] = true
	}
	return nil
}

// Ignored reports whether somebody must not be heard.
func (s *Store) Ignored(who chat.UserID) bool {
	s.unheard.mu.RLock()
	defer s.unheard.mu.RUnlock()
	return s.unheard.people == nil || s.unheard.people[who]
}

// Ignore has somebody not heard from now on. After an error they are heard again when the bot has restarted.
func (s *Store) Ignore(ctx context.Context, who chat.UserID) error {
	s.unheard.storing.Lock()
	defer s.unheard.storing.Unlock()
	s.mark(who, true)
	_, err := s.db.ExecContext(ctx, "INSERT INTO unheard (person, since) VALUES (?, ?) ON CONFLICT DO NOTHING", who, time.Now().UnixMicro())
	return store.Plain(err)
}

// Hear takes Ignore back. After an error it has not.
func (s *Store) Hear(ctx context.Context, who chat.UserID) error {
	s.unheard.storing.Lock()
	defer s.unheard.storing.Unlock()
	_, err := s.db.ExecContext(ctx, "DELETE FROM unheard WHERE person = ?", who)
	if err == nil {
		s.mark(who, false)
	}
	return store.Plain(err)
}

func (s *Store) mark(who chat.UserID, ignored bool) {
	s.unheard.mu.Lock()
	defer s.unheard.mu.Unlock()
	if s.unheard.people != nil {
		s.unheard.people[who] = ignored
	}
}
