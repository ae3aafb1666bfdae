package rest

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// maxReason is how much of a reason the audit log keeps, in UTF-16 units.
const maxReason = 512

// isAudited reports whether Discord takes a reason with the request: with changes of a server or a
// channel, and of what others wrote there.
func (q Request) isAudited() bool {
	if q.Method == http.MethodGet {
		return false
	}
	part, ofChannel := strings.CutPrefix(q.Route, "/channels/{channel}")
	if !ofChannel {
		return strings.HasPrefix(q.Route, "/guilds/{guild}/")
	}
	switch part {
	case "", "/permissions/{overwrite}", "/invites", "/webhooks", "/threads", "/messages/{message}/threads",
		"/messages/pins/{message}", "/messages/bulk-delete":
		return true
	}
	return part == "/messages/{message}" && q.Method == http.MethodDelete
}

// reason returns the reason for the audit log: the request's own, which is shortened if need be, and
// who asked.
func (c *Client) reason(ctx context.Context, q Request) string {
	if !q.isAudited() {
		return ""
	}
	own, asked := chat.OneLine(q.Reason), chat.OneLine(c.guide.Asked(ctx, q))
	switch {
	case own == "":
		return chat.Shorten(asked, maxReason)
	case asked == "":
		return chat.Shorten(own, maxReason)
	}
	return chat.Shorten(own, maxReason-chat.Length(asked)-chat.Length(" · ")) + " · " + asked
}

// withReason sets the reason for the server's audit log. A header holds neither every character
// nor new lines, so the text is URL-encoded.
func withReason(reason string) discordgo.RequestOption {
	return func(cfg *discordgo.RequestConfig) {
		if reason != "" {
			escaped := strings.ReplaceAll(url.QueryEscape(reason), "+", "%20")
			cfg.Request.Header.Set("X-Audit-Log-Reason", escaped)
		}
	}
}
