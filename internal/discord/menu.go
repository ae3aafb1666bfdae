package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// wireCommand has the fields of a slash command that the bot uses. discordgo's own type sends
// fields that were not set.
type wireCommand struct {
	ID      string       `json:"id,omitempty"`
	Type    int          `json:"type"`
	Name    string       `json:"name"`
	Summary string       `json:"description"`
	Options []wireOption `json:"options,omitempty"`
	Where   []int        `json:"contexts"`
	For     []int        `json:"integration_types"`
}

type wireOption struct {
	Type     int          `json:"type"`
	Name     string       `json:"name"`
	Summary  string       `json:"description"`
	Required bool         `json:"required,omitempty"`
	Suggests bool         `json:"autocomplete,omitempty"`
	Choices  []wireChoice `json:"choices,omitempty"`
	Options  []wireOption `json:"options,omitempty"`
}

type wireChoice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Where a slash command can be used, and for whom it is installed.
// https://discord.com/developers/docs/interactions/application-commands#interaction-contexts
const (
	onServers        = 0
	inDirectMessages = 1
	forServers       = 0
)

func commandFrom(m chat.Menu) wireCommand {
	w := wireCommand{
		Type: int(discordgo.ChatApplicationCommand), Name: m.Name, Summary: m.Summary,
		Where: []int{onServers, inDirectMessages}, For: []int{forServers},
	}
	for _, e := range m.Entries {
		entry := wireOption{Type: int(discordgo.ApplicationCommandOptionSubCommand), Name: e.Name, Summary: e.Summary}
		for _, o := range e.Options {
			option := wireOption{
				Type: int(discordgo.ApplicationCommandOptionString), Name: o.Name, Summary: o.Summary,
				Required: o.Required, Suggests: o.Suggests, Choices: choices(o.Choices),
			}
			entry.Options = append(entry.Options, option)
		}
		w.Options = append(w.Options, entry)
	}
	return w
}

// same compares commands as they are sent: no list and an empty one are the same.
func (w wireCommand) same(other wireCommand) bool {
	a, errA := json.Marshal(w)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

func choices(texts []string) []wireChoice {
	return each(texts, func(t string) wireChoice { return wireChoice{Name: t, Value: t} })
}

// commandsFrom returns the slash command of a menu, and its entries in the menu of messages.
func commandsFrom(m chat.Menu) []wireCommand {
	list := []wireCommand{commandFrom(m)}
	for _, name := range m.OnMessages {
		list = append(list, wireCommand{Type: int(discordgo.MessageApplicationCommand), Name: name,
			Where: []int{onServers, inDirectMessages}, For: []int{forServers}})
	}
	return list
}

// OfferMenu registers the slash command and the entries in the menu of messages, or updates them. Other commands of the
// application stay as they are.
func (c *Client) OfferMenu(ctx context.Context, m chat.Menu) error {
	there, err := c.commands(ctx)
	if err != nil {
		return err
	}
	for _, want := range commandsFrom(m) {
		known, found := want.among(there)
		known.ID = "" // it is identified by its name
		if found && known.same(want) {
			continue
		}
		q := request(http.MethodPost, commandsRoute, c.ApplicationID()).WithBody(want)
		q.Unique = true // Discord dedupes by name and type
		err = errors.Join(err, c.rest.Do(ctx, q, nil))
	}
	return err
}

// WithdrawMenu deletes the slash command and the entries in the menu of messages.
func (c *Client) WithdrawMenu(ctx context.Context, m chat.Menu) error {
	there, err := c.commands(ctx)
	if err != nil {
		return err
	}
	for _, gone := range commandsFrom(m) {
		known, found := gone.among(there)
		if !found {
			continue
		}
		err = errors.Join(err, c.rest.Do(ctx, request(http.MethodDelete, commandsRoute+"/{command}", c.ApplicationID(), known.ID), nil))
	}
	return err
}

const commandsRoute = "/applications/{application}/commands"

// commands returns the commands of the bot's application.
func (c *Client) commands(ctx context.Context) ([]wireCommand, error) {
	if c.ApplicationID() == "" {
		return nil, errors.New("which application the bot belongs to is not known before it has logged in; log in first")
	}
	return fetch[[]wireCommand](ctx, c, request(http.MethodGet, commandsRoute, c.ApplicationID()))
}

// among finds the command of the same name and type.
func (w wireCommand) among(list []wireCommand) (wireCommand, bool) {
	i := slices.IndexFunc(list, func(other wireCommand) bool { return other.Name == w.Name && other.Type == w.Type })
	if i < 0 {
		return wireCommand{}, false
	}
	return list[i], true
}

// ApplicationID returns the ID of the bot's application, or "" before the login.
func (c *Client) ApplicationID() string {
	if app := c.app.Load(); app != nil {
		return *app
	}
	return ""
}
