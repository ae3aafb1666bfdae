package discord_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

func TestAuditActionsInPeoplesWords(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada: owner\nbot DiscoClaw", func(t *testing.T, b *bench) {
		for words, number := range map[chat.AuditAction]string{
			"kick": "20", "kicked members": "20", "memberKick": "20", "ban": "22", "Bans": "22", "MEMBER_BAN_ADD": "22", "unban": "23",
			"channel delete": "12", "deleted channels": "12", "CHANNEL_DELETE": "12", "delete channel": "12", "channelEdit": "11",
			"timeout": "24", "nickname": "24", "role created": "30", "memberRoleUpdate": "25", "edited roles of members": "25",
			"roleUpdate": "31", "role_update": "31", "edited roles": "31", "memberUpdate": "24", "pin": "74", "delete message": "72", "bulk delete": "73", "server update": "1",
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
