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
	"discoclaw/internal/discord/rest"
)

// wireCommand has the fields of a slash command that the bot uses. discordgo's own type sends
// fields that were not set.
type wireCommand struct {
	ID      string       `json:"id,omitempty"`
	Type    int          `json:"type"`
	Name    string       `json:"name"`
	Summary string       `json:"description"`
	Options []wireOption `json:"options"`
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
	var list []wireChoice
	for _, t := range texts {
		list = append(list, wireChoice{Name: t, Value: t})
	}
	return list
}

// OfferMenu registers the slash command, or updates it. Other commands of the application stay as
// they are.
func (c *Client) OfferMenu(ctx context.Context, m chat.Menu) error {
	want := commandFrom(m)
	there, found, err := c.command(ctx, m.Name)
	if err != nil {
		return err
	}
	there.ID = "" // it is identified by its name
	if found && there.same(want) {
		return nil
	}
	return c.rest.Do(ctx, rest.Request{
		Method:  http.MethodPost,
		Route:   commandsRoute,
		Address: discordgo.EndpointApplicationGlobalCommands(c.application()),
		Body:    want,
		Unique:  true, // Discord dedupes by name
	}, nil)
}

// WithdrawMenu deletes the slash command.
func (c *Client) WithdrawMenu(ctx context.Context, name string) error {
	there, found, err := c.command(ctx, name)
	if err != nil || !found {
		return err
	}
	return c.rest.Do(ctx, rest.Request{
		Method:  http.MethodDelete,
		Route:   commandsRoute + "/{command}",
		Address: discordgo.EndpointApplicationGlobalCommand(c.application(), there.ID),
	}, nil)
}

const commandsRoute = "/applications/{application}/commands"

// command finds a slash command of the bot's application by its name.
func (c *Client) command(ctx context.Context, name string) (wireCommand, bool, error) {
	if c.application() == "" {
		return wireCommand{}, false, errors.New("which application the bot belongs to is not known before it has logged in; log in first")
	}
	all, err := fetchAll(ctx, c, rest.Request{
		Method:  http.MethodGet,
		Route:   commandsRoute,
		Address: discordgo.EndpointApplicationGlobalCommands(c.application()),
	}, func(w wireCommand) wireCommand { return w })
	i := slices.IndexFunc(all, func(w wireCommand) bool { return w.Name == name && w.Type == int(discordgo.ChatApplicationCommand) })
	if err != nil || i < 0 {
		return wireCommand{}, false, err
	}
	return all[i], true, nil
}

// application returns the ID of the bot's application, or "" before the login.
func (c *Client) application() string {
	if app := c.app.Load(); app != nil {
		return *app
	}
	return ""
}
