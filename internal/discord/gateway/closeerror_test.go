package gateway_test

import (
	"strings"
	"testing"

	"discoclaw/internal/discord/gateway"
)

func TestCloseErrorsNameTheRemedy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  gateway.CloseError
		says []string
	}{
		{"wrong token", gateway.CloseError{Code: 4004}, []string{"token", "set DISCORD_TOKEN", "https://discord.com/developers/applications"}},
		{"wrong shard", gateway.CloseError{Code: 4010}, []string{"shard", "update DiscoClaw"}},
		{"too many servers", gateway.CloseError{Code: 4011}, []string{"too many servers", "remove it"}},
		{"old version", gateway.CloseError{Code: 4012}, []string{"version 10", "update DiscoClaw"}},
		{"unknown intent", gateway.CloseError{Code: 4013}, []string{"intents", "update DiscoClaw"}},
		{"intent not enabled", gateway.CloseError{Code: 4014, Intents: 1<<9 | 1<<15},
			[]string{"the Message Content Intent:", "https://discord.com/developers/applications", "page Bot", "Privileged Gateway Intents"}},
		{"two intents not enabled", gateway.CloseError{Code: 4014, Intents: 1<<1 | 1<<15},
			[]string{"the Message Content Intent or the Server Members Intent:"}},
		{"not known which intent", gateway.CloseError{Code: 4014}, []string{"such as the Message Content Intent:"}},
		{"will pass", gateway.CloseError{Code: 4009}, []string{"code 4009, session timed out"}},
		{"from elsewhere", gateway.CloseError{Code: 1001, Reason: "proxy restarting"}, []string{"code 1001", "proxy restarting"}},
		{"without a word", gateway.CloseError{Code: 1006}, []string{"code 1006"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.err.Error()
			for _, part := range tt.says {
				if !strings.Contains(got, part) {
					t.Errorf("%q does not say %q", got, part)
				}
			}
			if strings.Contains(got, "\n") || strings.HasSuffix(got, ".") || strings.Contains(got, "%") {
				t.Errorf("%q is not one plain sentence", got)
			}
		})
	}
}
