package discord

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// Grant returns a set of rights as Discord shows it: by the names in its settings and in their
// order, and as the number that stands for them in a link. A right that Discord does not have
// is left out.
func Grant(rights []chat.Permission) (names []chat.Permission, number int64) {
	for _, p := range rights {
		number |= usualBits[p]
	}
	return rightNames(number), number
}

// InviteURL returns the address at which people add an application's bot to their server, with a
// role of its own that has these rights. Slash commands have a scope of their own.
func InviteURL(application string, rights int64) string {
	link := url.URL{Scheme: "https", Host: "discord.com", Path: "/oauth2/authorize"}
	link.RawQuery = url.Values{
		"client_id":   {application},
		"permissions": {strconv.FormatInt(rights, 10)},
		"scope":       {"bot applications.commands"},
	}.Encode()
	return link.String()
}

// ApplicationOf reads the ID of a bot's application from the first part of its token, which is
// no secret. ok is false if the text does not have a token's form.
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
