package gather

import (
	"slices"
	"strings"
	"sync/atomic"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

// A Self is what the bot knows about itself: who it is on Discord, what it calls itself, and its commands.
type Self struct {
	Named    func() string   // what the bot calls itself; nil or empty means its name on Discord
	Commands *commands.Table // may be nil

	user atomic.Pointer[chat.User]
}

// Become tells who the bot is on Discord.
func (s *Self) Become(u chat.User) { s.user.Store(&u) }

// User returns who the bot is on Discord, or nil before the first login.
func (s *Self) User() *chat.User { return s.user.Load() }

// Is reports whether a user is the bot itself.
func (s *Self) Is(u chat.UserID) bool {
	self := s.User()
	return self != nil && self.ID == u
}

// Name returns what the bot calls itself.
func (s *Self) Name() string {
	if s.Named != nil {
		if name := s.Named(); name != "" {
			return name
		}
	}
	if self := s.User(); self != nil && self.Name != "" {
		return self.Name
	}
	return "DiscoClaw"
}

// IsMentioned reports whether a message mentions the bot.
func (s *Self) IsMentioned(m chat.Message) bool {
	self := s.User()
	return self != nil && slices.Contains(m.Mentions, self.ID)
}

// IsCommand reports whether a message is a command.
func (s *Self) IsCommand(m chat.Message) bool {
	_, _, ok := s.Commands.Find(s.StripMention(m).Text)
	return ok
}

// StripMention removes a mention of the bot from the beginning of a message, where it only addresses the bot. A
// message that is nothing but the mention keeps it.
func (s *Self) StripMention(m chat.Message) chat.Message {
	self := s.User()
	if self == nil {
		return m
	}
	rest := strings.TrimSpace(m.Text)
	for _, mention := range []string{"<@" + string(self.ID) + ">", "<@!" + string(self.ID) + ">"} {
		if after, ok := strings.CutPrefix(rest, mention); ok {
			rest = strings.TrimLeft(after, " \t\n,:")
			break
		}
	}
	if rest != "" {
		m.Text = rest
	}
	return m
}
