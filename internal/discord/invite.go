package discord

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// Grant is a set of rights as Discord asks people for it: by the names in its settings
// and in their order, and as the number that stands for them in a link. A right that
// Discord does not have is left out: there is nobody to ask for it.
func Grant(rights []chat.Permission) (names []chat.Permission, number int64) {
	for _, p := range rights {
		number |= usualBits[p]
	}
	return rightNames(number), number
}

// InviteURL is where people put an application's bot on their server, with a role of
// its own that has these rights. Commands under "/" have a scope of their own.
func InviteURL(application string, rights int64) string {
	link := url.URL{Scheme: "https", Host: "discord.com", Path: "/oauth2/authorize"}
	link.RawQuery = url.Values{
		"client_id":   {application},
		"permissions": {strconv.FormatInt(rights, 10)},
		"scope":       {"bot applications.commands"},
	}.Encode()
	return link.String()
}

// ApplicationOf reads the ID of a bot's application from its token, whose first part is
// nothing else and no secret. ok says whether that is a token's form.
func ApplicationOf(token string) (id string, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return "", false
	}
	decoded, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[0], "="))
	if err != nil || !chat.IsID(string(decoded)) {
		return "", false
	}
	return string(decoded), true
}
