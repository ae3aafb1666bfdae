package discord_test

import (
	"fmt"
	"testing"

	"discoclaw/internal/chat"
)

// TestViewersWhereRolesLetPeopleIn: everyone sees nothing here, the server's roles let people in, and a channel's rules shut
// some of them out again.
func TestViewersWhereRolesLetPeopleIn(t *testing.T) {
	t.Parallel()
	onBench(t, `
guild disco: #general #quiet #lobby
role @everyone: Send Messages
bot DiscoClaw: View Channel
role guests: View Channel
role muted
role shy
member ada: owner
member bob: guests
member eve: guests, muted
deny #quiet muted: View Channel
deny #quiet bob: View Channel
allow #quiet ada: View Channel
allow #lobby @everyone: View Channel
deny #lobby muted: View Channel
`, func(t *testing.T, b *bench) {
		sent := len(b.requests())
		for channel, want := range map[string]string{
			"general": "false [DiscoClaw guests] 0, except [] 0",
			"quiet":   "false [DiscoClaw guests] 0, except [muted] 1",
			"lobby":   "true [] 0, except [muted] 0",
		} {
			a, err := b.client.Viewers(t.Context(), b.GuildID(), b.ChannelID(channel))
			got := fmt.Sprintf("%t %s %d, except %s %d", a.Everyone, roleNames(a.Roles), len(a.Members), roleNames(a.ExceptRoles), len(a.ExceptMembers))
			if err != nil || got != want {
				t.Errorf("#%s: %s, %v, want %s", channel, got, err, want)
			}
		}
		if n := len(b.requests()) - sent; n > 0 {
			t.Errorf("%d requests", n)
		}
	})
}

func roleNames(roles []chat.Role) []string {
	names := []string{}
	for _, r := range roles {
		names = append(names, r.Name)
	}
	return names
}
