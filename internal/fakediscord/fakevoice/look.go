package fakevoice

import (
	"context"
	"fmt"
	"slices"
)

// A Call is what there is to see of the call in a channel.
type Call struct {
	Version   int      // of the encryption that the call has or is about to have; 0 is none
	People    []uint64 // who has a session, connected or about to resume, in the order in which they came
	Away      []uint64 // those of them who are not connected
	Members   []uint64 // of the encryption's group, in its order; none before the first commit
	Epoch     uint64   // of the group
	Proposed  bool     // somebody is to be added to the group or removed from it
	Pending   []uint16 // transitions that were announced and not executed, in their order
	Encrypted bool     // a transition into encryption was executed, so what is said has to be encrypted
}

// Call returns what there is to see of the call in a channel.
func (s *Server) Call(channel uint64) Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.look(channel)
}

func (s *Server) look(channel uint64) Call {
	c := s.calls[channel]
	if c == nil {
		return Call{}
	}
	seen := Call{Version: c.version, Encrypted: !c.encrypted.IsZero()}
	for _, x := range c.sessions {
		seen.People = append(seen.People, x.User)
		if x.conn == nil {
			seen.Away = append(seen.Away, x.User)
		}
	}
	if c.group != nil {
		seen.Proposed = c.group.Pending() || len(c.lost) > 0
		seen.Members, seen.Epoch = slices.Clone(c.group.Members()), c.group.Epoch()
	}
	for _, t := range c.pending {
		seen.Pending = append(seen.Pending, t.id)
	}
	return seen
}

// Await waits until the call in a channel is as wanted, or ctx ends.
func (s *Server) Await(ctx context.Context, channel uint64, wanted func(Call) bool) error {
	for {
		s.mu.Lock()
		seen, changed := s.look(channel), s.changed
		s.mu.Unlock()
		if wanted(seen) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the call in %d, which is %+v: %w", channel, seen, ctx.Err())
		}
	}
}

// Sent is how many voice packets came from a user's client, before the faults of its line.
func (s *Server) Sent(user uint64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.session(user); x != nil {
		return x.sent
	}
	return 0
}

// SSRC is that of a user's packets; 0 while they have none.
func (s *Server) SSRC(user uint64) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.session(user); x != nil {
		return x.ssrc
	}
	return 0
}

// Heard is how many voice packets of one user went to another's client, after the faults of both lines.
func (s *Server) Heard(listener, speaker uint64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.session(listener); x != nil {
		return x.heard[speaker]
	}
	return 0
}

// Complaints are the mistakes of clients since the last call, each in a sentence.
func (s *Server) Complaints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.complaints
	s.complaints = nil
	return all
}

// complain writes a mistake down. Many of a kind are not more telling than a few.
func (s *Server) complain(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(s.complaints) < maxComplaints {
		s.complaints = append(s.complaints, text)
		s.o.Trace("complaint: " + text)
	}
}

const maxComplaints = 100

// session is a user's session: the newest, should there be several.
func (s *Server) session(user uint64) (newest *session) {
	for _, x := range s.sessions {
		if x.User == user && (newest == nil || x.ssrc > newest.ssrc) {
			newest = x
		}
	}
	return newest
}
