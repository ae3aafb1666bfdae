package fakediscord

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Command is a slash command of the bot's application, with subcommands, or an entry in the menu of messages. A world
// file does not have them: a bot registers its commands when it starts.
type Command struct {
	ID, version string
	Type        int              `json:"type"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Options     []*CommandOption `json:"options"`
	Contexts    []int            `json:"contexts"`
	For         []int            `json:"integration_types"`
}

// A CommandOption is a subcommand, or a text argument of one.
type CommandOption struct {
	Type         int              `json:"type"`
	Name         string           `json:"name"`
	Description  string           `json:"description"`
	Required     bool             `json:"required,omitempty"`
	Autocomplete bool             `json:"autocomplete,omitempty"`
	Choices      []CommandChoice  `json:"choices,omitempty"`
	Options      []*CommandOption `json:"options,omitempty"`
}

// A CommandChoice is one of the values that an option takes.
type CommandChoice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Kinds of commands and options that are built.
// https://discord.com/developers/docs/interactions/application-commands
const (
	slashCommand     = 1
	messageCommand   = 3
	subcommandOption = 1
	stringOption     = 3
)

// Commands are the registered slash commands, oldest first.
func (w *World) Commands() []Command { return w.commandsOf(slashCommand) }

// MessageCommands are the registered entries in the menu of messages, oldest first.
func (w *World) MessageCommands() []Command { return w.commandsOf(messageCommand) }

func (w *World) commandsOf(kind int) []Command {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Command
	for _, c := range w.commands {
		if c.Type == kind {
			all = append(all, *c)
		}
	}
	return all
}

// UsableIn reports whether Discord offers the command in a channel of that kind.
func (c Command) UsableIn(kind ChannelType) bool {
	context := 0
	if kind == DMChannel {
		context = 1
	}
	return slices.Contains(c.Contexts, context)
}

// Run uses a slash command as a member and waits for the answer. The line is the
// command, the subcommand and the values of its options: a word for each, and the rest of
// the line for the last one. Like Discord it gives the bot three seconds; then the error
// is an ErrNoAnswer.
func (w *World) Run(user, channel, line string) (Answer, error) {
	it, err := w.begin(user, channel, line, false)
	if err != nil {
		return Answer{}, err
	}
	return w.await(it, strings.Fields(line)[0])
}

// Type types a line like that of Run without sending it, and returns the bot's
// suggestions for the last option.
func (w *World) Type(user, channel, line string) ([]string, error) {
	it, err := w.begin(user, channel, line, true)
	if err != nil {
		return nil, err
	}
	answer, err := w.await(it, strings.Fields(line)[0])
	return answer.Suggestions, err
}

func (w *World) begin(user, channel, line string, typing bool) (it *interaction, err error) {
	err = w.change(func() error {
		who, where, err := w.whoAndWhere(user, channel)
		if err != nil {
			return err
		}
		data, err := w.commandData(where, line, typing)
		if err != nil {
			return err
		}
		it = w.interact(who, where)
		it.typing = typing
		w.tellInteraction(it, who, where, data)
		return nil
	})
	return it, err
}

// commandData is the data of the interaction for a line. It refuses what Discord's own
// clients do not send.
func (w *World) commandData(c *Channel, line string, typing bool) (object, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	sub, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	command, err := w.usable(c, slashCommand, name)
	if err != nil {
		return nil, err
	}
	j := slices.IndexFunc(command.Options, func(o *CommandOption) bool { return o.Name == sub })
	if j < 0 {
		return nil, fmt.Errorf("/%s has no subcommand %q", name, sub)
	}
	values, err := command.Options[j].fill(strings.TrimLeft(rest, " "), typing)
	if err != nil {
		return nil, fmt.Errorf("/%s %s: %w", name, sub, err)
	}
	return object{
		"id": command.ID, "name": name, "type": slashCommand,
		"options": []object{{"type": subcommandOption, "name": sub, "options": values}},
	}, nil
}

// usable finds a command that Discord offers in a channel.
func (w *World) usable(c *Channel, kind int, name string) (*Command, error) {
	i := slices.IndexFunc(w.commands, func(c *Command) bool { return c.Type == kind && c.Name == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("there is no command %s", name)
	case !w.commands[i].UsableIn(c.Type):
		return nil, fmt.Errorf("the command %s cannot be used in %s", name, c)
	}
	return w.commands[i], nil
}

// fill distributes a text over the options of a subcommand.
func (o *CommandOption) fill(text string, typing bool) ([]object, error) {
	values := []object{}
	for i, option := range o.Options {
		value, rest, more := strings.Cut(text, " ")
		if i == len(o.Options)-1 {
			value, rest, more = text, "", false
		}
		here := typing && !more // has the cursor
		switch allowed := slices.ContainsFunc(option.Choices, func(c CommandChoice) bool { return c.Value == value }); {
		case value == "" && option.Required && !here:
			return nil, fmt.Errorf("the option %s is required", option.Name)
		case value == "" && !here:
			return values, nil
		case len(option.Choices) > 0 && !allowed:
			return nil, fmt.Errorf("the option %s does not take that", option.Name)
		case here && !option.Autocomplete:
			return nil, fmt.Errorf("the option %s suggests nothing", option.Name)
		}
		given := object{"type": stringOption, "name": option.Name, "value": value}
		if here {
			given["focused"] = true
			return append(values, given), nil
		}
		values, text = append(values, given), strings.TrimLeft(rest, " ")
	}
	if text != "" && len(o.Options) == 0 {
		return nil, errors.New("it takes no options")
	}
	return values, nil
}

func (w *World) commandJSON(c *Command) object {
	return object{
		"id": c.ID, "application_id": w.app, "version": c.version, "default_member_permissions": nil, "type": c.Type,
		"name": c.Name, "description": c.Description, "options": list(c.Options), "contexts": c.Contexts,
		"integration_types": c.For, "dm_permission": true, "nsfw": false,
	}
}
