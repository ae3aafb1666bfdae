package fakediscord

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

// Limits of a slash command.
// https://discord.com/developers/docs/interactions/application-commands#application-command-object
const (
	maxCommandOptions = 25
	maxDescription    = 100
	maxCommandName    = 32
)

// ourApplication refuses requests about another application.
func (c *call) ourApplication() error {
	if c.vars["application"] != c.app {
		return errMissingAccess
	}
	return nil
}

func listCommands(c *call) (answer, error) {
	if err := c.ourApplication(); err != nil {
		return answer{}, err
	}
	out := []object{}
	for _, command := range c.commands {
		o := c.commandJSON(command)
		if c.yes("with_localizations") { // there are none
			o["name_localizations"], o["description_localizations"] = nil, nil
		}
		out = append(out, o)
	}
	return ok(out)
}

// createCommand overwrites a command of the same name.
func createCommand(c *call) (answer, error) {
	if err := c.ourApplication(); err != nil {
		return answer{}, err
	}
	in := &Command{Type: slashCommand}
	if err := c.readCommand(in); err != nil {
		return answer{}, err
	}
	if i := slices.IndexFunc(c.commands, func(known *Command) bool { return known.Name == in.Name && known.Type == in.Type }); i >= 0 {
		in.ID, c.commands[i] = c.commands[i].ID, in
		return ok(c.commandJSON(in))
	}
	in.ID = c.commandIDs.next(c.clock())
	c.commands = append(c.commands, in)
	return created(c.commandJSON(in))
}

// setCommands replaces all commands. Those of a name that there is stay what they are.
func setCommands(c *call) (answer, error) {
	if err := c.ourApplication(); err != nil {
		return answer{}, err
	}
	var list []json.RawMessage
	if err := c.decode(&list); err != nil {
		return answer{}, err
	}
	before, out := c.commands, []object{}
	c.commands = nil
	for _, payload := range list {
		c.payload = payload
		if _, err := createCommand(c); err != nil {
			c.commands = before
			return answer{}, err
		}
		made := c.commands[len(c.commands)-1]
		if i := slices.IndexFunc(before, func(known *Command) bool { return known.Name == made.Name && known.Type == made.Type }); i >= 0 {
			made.ID = before[i].ID
		}
		out = append(out, c.commandJSON(made))
	}
	return ok(out)
}

func getCommand(c *call) (answer, error) {
	i, err := c.command()
	if err != nil {
		return answer{}, err
	}
	return ok(c.commandJSON(c.commands[i]))
}

func editCommand(c *call) (answer, error) {
	i, err := c.command()
	if err != nil {
		return answer{}, err
	}
	changed := *c.commands[i]
	if err := c.readCommand(&changed); err != nil {
		return answer{}, err
	}
	c.commands[i] = &changed
	return ok(c.commandJSON(&changed))
}

func deleteCommand(c *call) (answer, error) {
	i, err := c.command()
	if err != nil {
		return answer{}, err
	}
	c.commands = slices.Delete(c.commands, i, i+1)
	return done()
}

// command is the index of the path's command.
func (c *call) command() (int, error) {
	if err := c.ourApplication(); err != nil {
		return 0, err
	}
	i := slices.IndexFunc(c.commands, func(known *Command) bool { return known.ID == c.vars["command"] })
	if i < 0 {
		return 0, errUnknownCommand
	}
	return i, nil
}

// readCommand sets the given fields of a command.
func (c *call) readCommand(into *Command) error {
	before := into.Options
	into.Options = nil // so that decoding does not change the old slice
	if err := c.decode(into); err != nil {
		return err
	}
	if into.Options == nil {
		into.Options = before
	}
	if into.Type != slashCommand && into.Type != messageCommand {
		return notBuiltError("a command of that type")
	}
	into.version = c.commandIDs.next(c.clock())
	if into.Contexts == nil {
		into.Contexts = []int{0, 1, 2}
	}
	if into.For == nil {
		into.For = []int{0}
	}
	if into.Type == messageCommand {
		return into.checkMessageCommand()
	}
	if err := checkCommandWords("", into.Name, into.Description, len(into.Options)); err != nil {
		return err
	}
	for _, sub := range into.Options {
		if sub.Type != subcommandOption {
			return notBuiltError("a command without subcommands")
		}
		if err := sub.check(); err != nil {
			return err
		}
	}
	return nil
}

// checkMessageCommand looks at an entry in the menu of messages, which is but a name.
func (c *Command) checkMessageCommand() error {
	switch n := chat.Length(c.Name); {
	case n == 0 || n > maxCommandName:
		return invalid("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxCommandName)
	case c.Description != "" || len(c.Options) > 0:
		return invalid("description", "APPLICATION_COMMAND_DESCRIPTION_CANNOT_BE_SET", "Context menu commands cannot have description or options")
	}
	return nil
}

// check looks at a subcommand and its options.
func (o *CommandOption) check() error {
	if err := checkCommandWords("options.", o.Name, o.Description, len(o.Options)); err != nil {
		return err
	}
	optional := false
	for _, option := range o.Options {
		if option.Type != stringOption {
			return notBuiltError("an option that is no text")
		}
		if err := checkCommandWords("options.options.", option.Name, option.Description, len(option.Choices)); err != nil {
			return err
		}
		if option.Required && optional {
			return invalid("options", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		if option.Autocomplete && len(option.Choices) > 0 {
			return invalid("options", "APPLICATION_COMMAND_AUTOCOMPLETE_AND_CHOICES", "Autocomplete and choices exclude each other")
		}
		optional = optional || !option.Required
	}
	return nil
}

// isCommandName reports whether a command or an option can be called this.
func isCommandName(name string) bool {
	n := utf8.RuneCountInString(name)
	return n > 0 && n <= maxCommandName && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.In(r, unicode.Ll, unicode.N) && !strings.ContainsRune("-_'", r)
	})
}

func checkCommandWords(path, name, description string, options int) error {
	switch n := chat.Length(description); {
	case !isCommandName(name):
		return invalid(path+"name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	case n == 0 || n > maxDescription:
		return invalid(path+"description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxDescription)
	case options > maxCommandOptions:
		return invalid(path+"options", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxCommandOptions)
	}
	return nil
}
