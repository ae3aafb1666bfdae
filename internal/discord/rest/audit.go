package rest

import (
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// maxReason is how much of a reason the audit log keeps, in UTF-16 units.
const maxReason = 512

// withReason tells the server's audit log why something is done. A header holds
// neither every character nor new lines, so the text is written as in an address.
func withReason(reason string) discordgo.RequestOption {
	return func(cfg *discordgo.RequestConfig) {
		if reason = chat.OneLine(reason); reason != "" {
			escaped := strings.ReplaceAll(url.QueryEscape(cutTo(reason, maxReason)), "+", "%20")
			cfg.Request.Header.Set("X-Audit-Log-Reason", escaped)
		}
	}
}

// cutTo shortens a text to so many UTF-16 units, with a mark where it was cut.
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
