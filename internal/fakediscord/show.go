package fakediscord

import (
	"errors"
	"net/http"

	"discoclaw/internal/chat"
)

// What user interfaces need besides a View.

// GuildName is the name of the first guild.
func (w *World) GuildName() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first().Name
}

// Owner is the owner of the first guild.
func (w *World) Owner() chat.UserID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first().Owner
}

// Roles are all roles of the first guild, @everyone first.
func (w *World) Roles() []Role {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Role
	for _, r := range w.first().roles {
		all = append(all, *r)
	}
	return all
}

// Attachment finds a file by the channel and the ID in its URL. Its data must
// not be changed.
func (w *World) Attachment(channel chat.ChannelID, id string) (Attachment, bool) {
	return w.attachment(channel, id)
}

// Loading reports whether the message is a deferred answer.
func (m Message) Loading() bool { return m.Flags&flagLoading != 0 }

// EmbedsHidden reports whether the embeds of the message are suppressed.
func (m Message) EmbedsHidden() bool { return m.Flags&flagNoEmbeds != 0 }

// IsEmoji reports whether s is exactly one Unicode emoji.
func IsEmoji(s string) bool { return isEmoji(s) }

// StatusOf is the HTTP status of a refused action of a member: Discord's own, where the
// error is Discord's.
func StatusOf(err error) int {
	var refused *apiError
	if errors.As(err, &refused) {
		return refused.status
	}
	return http.StatusForbidden
}
