package userapi

import (
	"errors"
	"net/http"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// offers lists the slash commands and the entries in the menus of messages that are usable in a channel.
func (c *call) offers() error {
	ch, err := c.channel()
	if err != nil {
		return err
	}
	list := []command{}
	for _, offered := range c.world.Commands() {
		if !offered.UsableIn(ch.Type) {
			continue
		}
		for _, sub := range offered.Options {
			list = append(list, commandFrom(offered.Name, sub))
		}
	}
	onMessages := []string{}
	for _, offered := range c.world.MessageCommands() {
		if offered.UsableIn(ch.Type) {
			onMessages = append(onMessages, offered.Name)
		}
	}
	return c.answer(struct {
		Commands   []command `json:"commands"`
		OnMessages []string  `json:"onMessages"`
	}{list, onMessages})
}

// commandFrom is a subcommand with its full name and its options.
func commandFrom(parent string, sub *fakediscord.CommandOption) command {
	cmd := command{Name: "/" + parent + " " + sub.Name, Summary: sub.Description, Options: []commandOption{}}
	for _, o := range sub.Options {
		option := commandOption{Name: o.Name, Summary: o.Description, Required: o.Required, Suggests: o.Autocomplete, Choices: []string{}}
		for _, choice := range o.Choices {
			option.Choices = append(option.Choices, choice.Value)
		}
		cmd.Options = append(cmd.Options, option)
	}
	return cmd
}

// use uses a slash command and waits three seconds for the bot, as Discord does. A later
// answer arrives as an ephemeral message.
func (c *call) use() error {
	ch, line, err := c.commandLine()
	if err != nil {
		return err
	}
	answer, err := c.world.Run(c.as(), string(ch), line)
	if err != nil {
		return unanswered(err)
	}
	return c.told(answer)
}

// suggest asks the bot for suggestions for the last option of a line that is being typed.
func (c *call) suggest() error {
	ch, line, err := c.commandLine()
	if err != nil {
		return err
	}
	found, err := c.world.Type(c.as(), string(ch), line)
	if err != nil {
		return unanswered(err)
	}
	return c.answer(map[string][]string{"suggestions": append([]string{}, found...)})
}

// commandLine is the channel and the text of a command.
func (c *call) commandLine() (where chat.ChannelID, line string, err error) {
	ch, err := c.channel()
	if err != nil {
		return "", "", err
	}
	var in struct {
		Command string `json:"command"`
	}
	if err := c.decode(&in); err != nil {
		return "", "", err
	}
	return ch.ID, in.Command, written{Content: in.Command}.check()
}

// unanswered is the error of a command without an answer.
func unanswered(err error) error {
	if errors.Is(err, fakediscord.ErrNoAnswer) {
		return refusal{http.StatusGatewayTimeout, err.Error()}
	}
	return refusal{http.StatusBadRequest, err.Error()}
}
