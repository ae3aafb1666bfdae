package userapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// quietTime is the time without events after which a stream sends a comment, as a
// keep-alive for both sides.
const quietTime = 15 * time.Second

// A stream sends one member the changes, until it fails or ends.
type stream struct {
	eyes
	*reader
	c     *call
	count int
	known map[chat.ChannelID]string // the channels as they were sent last
	err   error                     // the first write error
}

// nothing is the data of an event without content.
var nothing = json.RawMessage("{}")

func (c *call) events() error {
	r, err := c.join(c.w)
	if err != nil {
		return err
	}
	defer c.leave(r)
	if _, err := c.world.OpenDM(c.as()); err != nil {
		return refused(err)
	}
	c.header()
	c.w.Header().Set("Content-Type", "text/event-stream")
	c.w.Header().Set("Connection", "close") // its deadline must not be inherited by the next request
	s := &stream{eyes: c.eyes, reader: r, c: c, known: map[chat.ChannelID]string{}}
	for _, ch := range s.view.Channels() {
		s.known[ch.ID] = string(encode(s.channel(ch)))
	}
	s.send("hello", nothing)
	s.run()
	return nil
}

func (s *stream) run() {
	alive := time.NewTicker(quietTime)
	defer alive.Stop()
	for s.err == nil && s.here() {
		select {
		case <-s.c.r.Context().Done():
			return
		case <-s.ended:
			return
		case <-alive.C:
			s.write([]byte(": still here\n\n"))
		case n := <-s.queue:
			s.tell(n)
		}
	}
}

func (s *stream) send(event string, data json.RawMessage) {
	s.count++
	s.write(fmt.Appendf(nil, "event: %s\nid: %d\ndata: %s\n\n", event, s.count, data))
}

func (s *stream) write(text []byte) {
	if s.err != nil {
		return
	}
	s.c.world.Sync() // an event shows things as they are now, and so perhaps a change after it
	s.extend()
	if _, s.err = s.c.w.Write(text); s.err == nil {
		s.err = s.control.Flush()
	}
}

// tell turns news into events for the member.
func (s *stream) tell(n news) {
	switch {
	case n.published:
		if _, seen := s.view.Channel(n.Channel); seen || n.Channel == "" {
			s.send(n.Name, n.Data)
		}
	case n.Name == "INTERACTION_CREATE", n.Name == "CHANNEL_PINS_UPDATE":
		// The first is for the bot alone, the second comes with a changed message.
	case n.Name == "TYPING_START":
		s.typing(n)
	case n.Name == "MESSAGE_DELETE", n.Name == "MESSAGE_DELETE_BULK":
		s.gone(n)
	case n.Name == fakediscord.Whisper, strings.HasPrefix(n.Name, "MESSAGE_"):
		s.message(n)
	case n.Name == "VOICE_STATE_UPDATE", strings.HasPrefix(n.Name, "CHANNEL_"), strings.HasPrefix(n.Name, "THREAD_"):
		s.compare()
	default:
		s.compare()
		s.send("world", nothing)
	}
}

// A subject is the object of an event of the world.
type subject struct {
	ID      chat.MessageID   `json:"id"`
	IDs     []chat.MessageID `json:"ids"`
	Message chat.MessageID   `json:"message_id"`
	User    chat.UserID      `json:"user_id"`
}

func (n news) subject() subject {
	var s subject
	_ = json.Unmarshal(n.Data, &s) // missing fields stay empty
	return s
}

func (s *stream) typing(n news) {
	who := s.person(n.subject().User)
	if _, seen := s.view.Channel(n.Channel); seen && who.ID != s.me {
		s.send("typing", encode(map[string]any{"channel": n.Channel, "name": who.Name}))
	}
}

// gone sends which messages were deleted.
func (s *stream) gone(n news) {
	if _, seen := s.view.Channel(n.Channel); !seen {
		return
	}
	about := n.subject()
	if about.ID != "" {
		about.IDs = append(about.IDs, about.ID)
	}
	for _, id := range about.IDs {
		s.send("gone", encode(map[string]any{"channel": n.Channel, "id": id}))
	}
	s.look(n.Channel)
}

// message sends a message as it is now. A channel that was not sent yet comes first; a
// change of a known one comes after.
func (s *stream) message(n news) {
	about := n.subject()
	if about.Message != "" {
		about.ID = about.Message // a reaction, for example
	}
	if n.Name == fakediscord.Whisper && about.User != s.me {
		return
	}
	if _, told := s.known[n.Channel]; !told {
		s.look(n.Channel)
	}
	if m, seen := s.view.Message(n.Channel, about.ID); seen {
		s.send("message", encode(s.eyes.message(m)))
	} else if n.Name == fakediscord.Whisper {
		s.gone(n)
		return
	}
	s.look(n.Channel)
}

// compare sends every channel that differs from what was sent.
func (s *stream) compare() {
	ids := map[chat.ChannelID]bool{}
	for _, ch := range s.view.Channels() {
		ids[ch.ID] = true
		s.show(ch)
	}
	var gone []chat.ChannelID
	for id := range s.known {
		if !ids[id] {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	for _, id := range gone {
		s.lose(id)
	}
}

// look compares one channel.
func (s *stream) look(id chat.ChannelID) {
	if ch, seen := s.view.Channel(id); seen {
		s.show(ch)
	} else if _, told := s.known[id]; told {
		s.lose(id)
	}
}

func (s *stream) show(ch fakediscord.SeenChannel) {
	now := encode(s.channel(ch))
	if s.known[ch.ID] != string(now) {
		s.known[ch.ID] = string(now)
		s.send("channel", now)
	}
}

func (s *stream) lose(id chat.ChannelID) {
	delete(s.known, id)
	s.send("channelGone", encode(map[string]any{"id": id}))
}
