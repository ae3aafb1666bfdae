package rest

import (
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// maxReason is how much of a reason the audit log keeps, in UTF-16 units.
const maxReason = 512

// withReason sets the reason for the server's audit log. A header holds neither every character
// nor new lines, so the text is URL-encoded.
func withReason(reason string) discordgo.RequestOption {
	return func(cfg *discordgo.RequestConfig) {
		if reason = chat.OneLine(reason); reason != "" {
			escaped := strings.ReplaceAll(url.QueryEscape(cutTo(reason, maxReason)), "+", "%20")
			cfg.Request.Header.Set("X-Audit-Log-Reason", escaped)
		}
	}
}

// cutTo shortens a text to most UTF-16 units, with a mark where it was cut.
func cutTo(s string, most int) string {
	if chat.Length(s) <= most {
		return s
	}
	n := 0
	for i, r := range s {
		if n += chat.Length(string(r)); n > most-1 {
			return s[:i] + "…"
		}
	}
	return s
}
