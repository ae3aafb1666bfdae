// Package commands finds the commands that people write with an exclamation mark,
// such as !undo, and runs them. A [Table] knows them all; every one is a [Command].
//
// A message that begins with the name of a command is one, whatever follows: it never
// reaches a model. What does not fit the command is answered with its usage.
package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"discoclaw/internal/chat"
)

// A Command is something people can write.
type Command struct {
	Name    string // without the mark
	Args    string // what may follow, for its usage: "<message link>"
	Summary string // what it does, as a sentence
	// Run does it and returns what to answer; nothing means that there is something to
	// see already. A *UsageError is answered with the usage.
	Run func(ctx context.Context, m chat.Message, args string) (reply string, err error)
}

func (c Command) usage() string {
	return strings.TrimSpace("!" + c.Name + " " + c.Args)
}

// A UsageError is what is wrong with what follows a command.
type UsageError struct{ Problem string }

func (e *UsageError) Error() string { return e.Problem }

// A Table is all commands. The zero Table has none.
type Table struct{ commands []Command }

// New returns a table of commands, to which it adds one that lists them. Two of the
// same name are a mistake of the programmer.
func New(list ...Command) *Table {
	t := &Table{commands: slices.Clone(list)}
	t.commands = append(t.commands, Command{Name: "help", Summary: "List the commands.", Run: t.help})
	slices.SortFunc(t.commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	for i, c := range t.commands[1:] {
		if c.Name == t.commands[i].Name {
			panic("two commands are called !" + c.Name)
		}
	}
	return t
}

func (t *Table) help(context.Context, chat.Message, string) (string, error) {
	lines := []string{"**Commands**"}
	for _, c := range t.commands {
		lines = append(lines, fmt.Sprintf("`%s`: %s", c.usage(), c.Summary))
	}
	return strings.Join(lines, "\n"), nil
}

// Find says whether a text is a command, and what follows its name.
func (t *Table) Find(text string) (c Command, args string, ok bool) {
	if t == nil {
		return Command{}, "", false
	}
	rest, marked := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !marked {
		return Command{}, "", false
	}
	name, args := rest, ""
	if i := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		name, args = rest[:i], strings.TrimSpace(rest[i:])
	}
	i := slices.IndexFunc(t.commands, func(c Command) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return Command{}, "", false
	}
	return t.commands[i], args, true
}

// Answer runs a command and returns what to tell who wrote it. An error that is no
// matter of usage is returned as well, for the log.
func Answer(ctx context.Context, c Command, m chat.Message, args string) (reply string, err error) {
	reply, err = c.Run(ctx, m, args)
	if wrong := (*UsageError)(nil); errors.As(err, &wrong) {
		return fmt.Sprintf("%s\nUsage: `%s`", wrong.Problem, c.usage()), nil
	}
	if err != nil {
		return fmt.Sprintf("⚠️ `!%s` did not work; the bot's log has the details.", c.Name), err
	}
	return reply, nil
}
