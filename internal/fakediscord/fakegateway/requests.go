package fakegateway

import (
	"bytes"
	"encoding/json"
)

// A MembersRequest asks for members of a guild.
// https://discord.com/developers/docs/events/gateway-events#request-guild-members
type MembersRequest struct {
	Guilds    IDs    `json:"guild_id"`
	Query     string `json:"query"`
	Limit     int    `json:"limit"`
	Presences bool   `json:"presences"`
	Users     IDs    `json:"user_ids"` // nil if the request has a query
	Nonce     string `json:"nonce"`

	Intents int   `json:"-"` // of the session
	Shard   Shard `json:"-"`
}

// IDs are one ID or several. Clients write them as strings or as numbers.
type IDs []string

// UnmarshalJSON reads all of these forms.
func (ids *IDs) UnmarshalJSON(text []byte) error {
	list := []json.RawMessage{text}
	if bytes.HasPrefix(text, []byte("[")) {
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
	}
	*ids = IDs{}
	for _, item := range list {
		var id json.Number // takes both
		if err := json.Unmarshal(item, &id); err != nil {
			return err
		}
		*ids = append(*ids, string(id))
	}
	return nil
}

// requestMembers answers a request for members.
func (s *Server) requestMembers(c *conn, data json.RawMessage) {
	ask(s, c, data, func(want MembersRequest, by session) []Event {
		want.Intents, want.Shard = by.intents, by.shard
		return s.o.Members(want)
	})
}

// requestSounds answers a request for the soundboards of guilds.
func (s *Server) requestSounds(c *conn, data json.RawMessage) {
	type request struct {
		Guilds IDs `json:"guild_ids"`
	}
	ask(s, c, data, func(want request, by session) []Event { return s.o.Sounds(want.Guilds, by.shard) })
}

// ask sends a session the events that answer its request.
func ask[T any](s *Server, c *conn, data json.RawMessage, answer func(T, session) []Event) {
	command(s, c, data, func(want T) {
		by, there := s.sessionOf(c)
		if !there {
			return
		}
		events := answer(want, by)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range events {
			if c.session != nil {
				c.session.dispatch(e.Name, encode(e.Data))
			}
		}
	})
}

// sessionOf is the session that a connection has at the moment, if it has one.
func (s *Server) sessionOf(c *conn) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.session == nil {
		return session{}, false
	}
	return *c.session, true
}
