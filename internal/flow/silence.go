package flow

import (
	"sync"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
)

// A silence is the set of channels in which the model asked to be left alone until the bot is addressed. It is not stored:
// after a restart the bot answers as before.
type silence struct {
	mu sync.Mutex
	in map[chat.ChannelID]bool
}

// heed does what the last answer of a turn says about the talk in its channel.
func (s *silence) heed(at chat.Place, c dialect.Control) {
	switch {
	case c.Resume:
		s.end(at)
	case c.Stop:
		s.begin(at)
	}
}

func (s *silence) begin(at chat.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in == nil {
		s.in = map[chat.ChannelID]bool{}
	}
	s.in[at.Channel] = true
}

func (s *silence) end(at chat.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.in, at.Channel)
}

func (s *silence) holds(at chat.Place) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.in[at.Channel]
}
