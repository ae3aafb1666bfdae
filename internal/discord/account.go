package discord

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// An Application is the bot's entry in Discord's developer portal.
type Application struct {
	ID      string
	Bot     chat.User
	Content bool // the Message Content Intent is on
	Members bool // the Server Members Intent is on
}

// Application fetches the bot's application, without logging in.
func (c *Client) Application(ctx context.Context) (Application, error) {
	w, err := c.fetchApplication(ctx)
	if err != nil {
		return Application{}, err
	}
	return Application{ID: w.ID, Bot: userFrom(w.Bot, nil), Content: w.Flags&contentFlags != 0, Members: w.Flags&memberFlags != 0}, nil
}

// Flags of an application for its privileged intents. The second of each is for a bot on few servers. See
// https://discord.com/developers/docs/resources/application#application-object-application-flags.
const (
	memberFlags  = 1<<14 | 1<<15
	contentFlags = 1<<18 | 1<<19
)

type wireApplication struct {
	ID    string   `json:"id"`
	Bot   wireUser `json:"bot"`
	Flags int      `json:"flags" wire:"optional"`
}

func (c *Client) fetchApplication(ctx context.Context) (wireApplication, error) {
	app, err := fetch[wireApplication](ctx, c, request(http.MethodGet, "/applications/@me"))
	if err == nil && (app.ID == "" || app.Bot.ID == "") {
		err = errNoID
	}
	return app, err
}

// A Membership is a server that the bot is on.
type Membership struct {
	Server chat.GuildID
	Name   string
	rights int64 // of the bot, on the whole server
}

// Lacks returns which of the permissions the bot does not have on the whole server. Channels may take further ones away.
func (m Membership) Lacks(needs []chat.Permission) []chat.Permission {
	if m.rights&discordgo.PermissionAdministrator != 0 {
		return nil
	}
	_, needed := Grant(needs)
	return rightNames(needed &^ m.rights)
}

type wireMembership struct {
	ID          string   `json:"id"`
	Name        string   `json:"name" wire:"optional"`
	Permissions wireBits `json:"permissions" wire:"optional"`
}

// maxServers is how many servers Discord lists on a page.
const maxServers = 200

// Memberships fetches the servers that the bot is on, without logging in.
func (c *Client) Memberships(ctx context.Context) ([]Membership, error) {
	var all []Membership
	for last := ""; ; {
		page, err := fetch[[]wireMembership](ctx, c, request(http.MethodGet, "/users/@me/guilds").WithQuery(pageOf(maxServers, "after", last)))
		if err != nil {
			return nil, err
		}
		for _, w := range page {
			all = append(all, Membership{Server: chat.GuildID(w.ID), Name: w.Name, rights: int64(w.Permissions)})
		}
		if len(page) < maxServers {
			return all, nil
		}
		last = page[len(page)-1].ID
	}
}

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

// TakeName makes name the bot's nickname on every server on which it has another. An error on one
// server does not keep it from the next.
func (c *Client) TakeName(ctx context.Context, name string) error {
	if err := c.undescribed.wait(ctx, c.undescribed.all()...); err != nil {
		return err
	}
	var failed []error
	for _, g := range c.cache.knownOtherwise(name) {
		if err := c.SetNickname(ctx, g, c.Self().ID, name, "its name was set in DISCOCLAW_BOT_NAME"); err != nil {
			failed = append(failed, fmt.Errorf("on server %s: %w", g, err))
		}
	}
	return errors.Join(failed...)
}

// knownOtherwise returns the servers on which the bot has another name.
func (c *cache) knownOtherwise(name string) []chat.GuildID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var list []chat.GuildID
	for id, g := range c.guilds {
		if g.bot != nil && g.bot.Name != name {
			list = append(list, id)
		}
	}
	return list
}
