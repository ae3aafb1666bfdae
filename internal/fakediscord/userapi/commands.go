package userapi

import (
	"errors"
	"net/http"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// offers lists the slash commands that the bot offers in a channel.
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
	return c.answer(map[string][]command{"commands": list})
}

// commandFrom is a subcommand as people see it: with its options, and all that they
// write before those.
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

// use uses a slash command and waits, as Discord does, three seconds for the bot. What
// it says later comes as a message that only the member sees.
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

// suggest asks the bot what might be meant by what stands last in a line that is not
// sent yet.
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

// commandLine is where a command is typed, and all of it.
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

// unanswered says why a command came to nothing.
func unanswered(err error) error {
	if errors.Is(err, fakediscord.ErrNoAnswer) {
		return refusal{http.StatusGatewayTimeout, err.Error()}
	}
	return refusal{http.StatusBadRequest, err.Error()}
}
