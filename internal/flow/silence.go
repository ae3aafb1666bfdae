package flow

import (
	"slices"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// A silence is the set of channels in which the model asked to be left alone until the bot is addressed. It is not stored:
// after a restart the bot answers as before.
type silence struct {
	mu sync.Mutex
	in map[chat.ChannelID]chat.GuildID
}

// apply does what the last answer of a turn says about the talk in its channel.
func (s *silence) apply(t turn.Report) {
	switch {
	case t.Control.Resume:
		s.end(t.Origin.Place)
	case t.Control.Stop:
		s.begin(t.Origin.Place)
	}
}

func (s *silence) begin(at chat.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in == nil {
		s.in = map[chat.ChannelID]chat.GuildID{}
	}
	s.in[at.Channel] = at.Guild
}

func (s *silence) end(at chat.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.in, at.Channel)
}

func (s *silence) holds(at chat.Place) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, silent := s.in[at.Channel]
	return silent
}

// on returns mentions of the silent channels of a server.
func (s *silence) on(g chat.GuildID) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ch, guild := range s.in {
		if guild == g {
			list = append(list, ch.Mention())
		}
	}
	slices.Sort(list)
	return list
}
