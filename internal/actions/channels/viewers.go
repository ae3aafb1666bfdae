package channels

import (
	"fmt"

	"discoclaw/internal/chat"
)

// maxViewers is how many roles and members are named of those who see a channel.
const maxViewers = 30

// viewersText describes the audience of a channel: "everyone, except role Muted".
func viewersText(a chat.Audience) string {
	if a.Invited {
		return "only those who were added to it, and those who may manage threads in its channel"
	}
	text := "everyone"
	if !a.Everyone {
		text = chat.And(atMost(append([]string{"the server's owner"}, viewerNames(a.Roles, a.Members)...)))
	}
	if except := viewerNames(a.ExceptRoles, a.ExceptMembers); len(except) > 0 && (a.Everyone || len(a.Roles) > 0) {
		text += ", except " + chat.And(atMost(except))
	}
	return text
}

// viewerNames has members as mentions: their names would take requests.
func viewerNames(roles []chat.Role, members []chat.UserID) []string {
	var names []string
	for _, r := range roles {
		names = append(names, roleName(r))
	}
	for _, u := range members {
		names = append(names, u.Mention())
	}
	return names
}

func atMost(names []string) []string {
	if more := len(names) - maxViewers; more > 0 {
		names = append(names[:maxViewers:maxViewers], fmt.Sprintf("%d more", more))
	}
	return names
}
