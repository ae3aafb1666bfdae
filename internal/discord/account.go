package discord

import (
	"context"
	"net/http"

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
