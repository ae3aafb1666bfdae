package discord_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

func TestAuditActionsByName(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada: owner\nbot DiscoClaw", func(t *testing.T, b *bench) {
		for words, number := range map[chat.AuditAction]string{
			"kick": "20", "memberKick": "20", "ban": "22", "Ban": "22", "unban": "23", "channel delete": "12", "CHANNEL_DELETE": "12",
			"memberRoleUpdate": "25", "roleUpdate": "31", "role_update": "31", "memberUpdate": "24", "messageBulkDelete": "73", "server update": "1",
		} {
			if _, err := b.client.AuditLog(t.Context(), b.GuildID(), chat.AuditQuery{Action: words, Limit: 1}); err != nil {
				t.Errorf("%s: %v", words, err)
				continue
			}
			sent := b.Requests()
			if query := sent[len(sent)-1].Query; !strings.Contains(query, "action_type="+number+"&") {
				t.Errorf("%s asks for %s, want %s", words, query, number)
			}
		}
	})
}
