package fakediscord

import (
	"errors"
	"net/http"

	"discoclaw/internal/chat"
)

// What a program that shows the world to people asks for besides a View.

// GuildName is the name of the first guild.
func (w *World) GuildName() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first().Name
}

// Owner is who owns the first guild.
func (w *World) Owner() chat.UserID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first().Owner
}

// Roles are all roles of the first guild, the one that everyone has first.
func (w *World) Roles() []Role {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Role
	for _, r := range w.first().roles {
		all = append(all, *r)
	}
	return all
}

// Attachment finds a file by the channel and the ID in its address. Its data must
// not be changed.
func (w *World) Attachment(channel chat.ChannelID, id string) (Attachment, bool) {
	return w.attachment(channel, id)
}

// Loading says whether the message announces an answer that is not there yet.
func (m Message) Loading() bool { return m.Flags&flagLoading != 0 }

// EmbedsHidden says whether somebody has hidden the cards below the message.
func (m Message) EmbedsHidden() bool { return m.Flags&flagNoEmbeds != 0 }

// IsEmoji says whether s is exactly one Unicode emoji.
func IsEmoji(s string) bool { return isEmoji(s) }

// StatusOf is the HTTP status that fits what one of the functions for people
// refused: Discord's own, where the refusal is in Discord's words.
func StatusOf(err error) int {
	var refused *apiError
	if errors.As(err, &refused) {
		return refused.status
	}
	return http.StatusForbidden
}
