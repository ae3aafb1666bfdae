// Package commands finds and runs the commands for the bot itself, such as !undo. A
// [Table] has them all; every one is a [Command]. Members write them with an exclamation
// mark, or choose them from the menu of a slash command, which is made of the same table.
//
// A message that begins with the name of a command is one, whatever follows: it never
// reaches a model. Invalid arguments are answered with its usage.
package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
)

// A Command is run without asking a model.
type Command struct {
	Name    string   // without the exclamation mark
	Args    string   // the arguments, for its usage: "<message link>"
	Options []Option // the same for the menu; their values become the arguments, in this order
	Summary string   // what it does, as a sentence of at most 100 characters

	Where    Where
	Operator bool // for operators only
	ForBots  bool // also for other bots on the allow list
	MenuOnly bool // it cannot be written with an exclamation mark
	// Off returns what an operator can do so that the command can be used. Nil, or an empty text, means
	// that it can be used already.
	Off func() string
	// Always are the verbs that can be used nevertheless; may be empty.
	Always []string
	// Misplaced answers instead of Run where the command does not work. Nil means a sentence
	// that says so.
	Misplaced func(ctx context.Context, m chat.Message) (reply string, err error)
	// Run runs the command and returns the reply; empty if its effect is visible already. A
	// *UsageError is answered with the usage. A message from the menu has no ID and no text.
	Run func(ctx context.Context, m chat.Message, args string) (reply string, err error)

	// Verbs are the forms of a command without a Run. The first is meant where none is named.
	Verbs []Verb
	// Choose returns the name of the verb that the arguments mean, and the text that follows it. Nil means that the first word names it.
	Choose func(ctx context.Context, m chat.Message, args string) (verb, text string)
	Hidden string // the answer to a verb if not all of its readers may know what was found
}

// A Where says in which places a command works.
type Where uint8

const (
	Anywhere Where = iota
	OnServers
	InDirectMessages
)

// misplaced is why a command does not work in a place, or empty.
func (w Where) misplaced(at chat.Place) string {
	switch {
	case w == OnServers && at.Guild == "":
		return "works on a server only"
	case w == InDirectMessages && at.Guild != "":
		return "works in direct messages only: write to me there"
	}
	return ""
}

func (c Command) usage() string { return strings.TrimSpace(c.called() + " " + c.Args) }

// called is the name of the command as people write it.
func (c Command) called() string {
	if c.MenuOnly {
		return "/" + menuName + " " + c.Name
	}
	return "!" + c.Name
}

// A UsageError is what is wrong with the arguments. It must not quote them: they may
// contain a secret.
type UsageError struct {
	Problem string
	Example string // a command that works, to be shown instead of the usage; empty for none
}

func (e *UsageError) Error() string { return e.Problem }

// A Table has all commands. The zero Table has none.
type Table struct {
	commands []Command
	operates Operates
	actor    Actor
}

// Operates reports whether the author of a message is an operator there.
type Operates func(ctx context.Context, m chat.Message) bool

// New returns a table of commands, with a further one that lists them. Operates says who is
// an operator, and the actor runs the actions of verbs. It panics on two commands of
// the same name.
func New(operates Operates, actor Actor, list ...Command) *Table {
	t := &Table{operates: operates, actor: actor}
	for _, c := range list {
		t.commands = append(t.commands, c.withVerbs())
	}
	t.commands = append(t.commands, Command{Name: "help", Summary: "List the commands.", ForBots: true, Run: t.help})
	order.By(t.commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	for i, c := range t.commands[1:] {
		if c.Name == t.commands[i].Name {
			panic("two commands are called !" + c.Name)
		}
	}
	return t
}

// help lists the commands that the author of m can use there.
func (t *Table) help(ctx context.Context, m chat.Message, _ string) (string, error) {
	lines := []string{"**Commands**"}
	for _, c := range t.commands {
		if t.refusal(ctx, c, m) == "" && (!m.Author.Bot || c.ForBots) {
			lines = append(lines, fmt.Sprintf("`%s`: %s", c.usage(), c.Summary))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// Find reports whether a text is a command, and returns its arguments.
func (t *Table) Find(text string) (c Command, args string, ok bool) {
	if t == nil {
		return Command{}, "", false
	}
	name, args, marked := split(text)
	if !marked {
		return Command{}, "", false
	}
	c, args, ok = t.lookup(name, args)
	return c, args, ok && !c.MenuOnly
}

func (t *Table) lookup(name, args string) (Command, string, bool) {
	i := slices.IndexFunc(t.commands, func(c Command) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return Command{}, "", false
	}
	return t.commands[i], args, true
}

// split splits a text that could be a command.
func split(text string) (name, args string, marked bool) {
	if after, ok := chat.CutSecret(text); ok {
		return "secret", strings.TrimSpace(after), true
	}
	rest, marked := strings.CutPrefix(strings.TrimSpace(text), "!")
	name = rest
	if i := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		name, args = rest[:i], strings.TrimSpace(rest[i:])
	}
	return name, args, marked
}

// Secret reports whether a text is, or was meant to be, a command with a secret. It must
// reach no model, log or record.
func Secret(text string) bool {
	_, ok := chat.CutSecret(text)
	return ok
}

// Answer runs a command and returns the reply. An error other than a UsageError is returned
// as well, for the log.
func (t *Table) Answer(ctx context.Context, c Command, m chat.Message, args string) (reply string, err error) {
	verb, _ := CutWords(args, 1)
	if slices.ContainsFunc(c.Always, func(name string) bool { return strings.EqualFold(verb, name) }) {
		c.Off = nil
	}
	switch why := t.refusal(ctx, c, m); {
	case t.Misplaced(c, m.Place):
		reply, err = c.Misplaced(ctx, m)
	case why != "":
		return fmt.Sprintf("`%s` %s.", c.called(), why), nil
	case c.Run == nil:
		reply, err = t.runVerb(ctx, c, m, args)
	default:
		reply, err = c.Run(ctx, m, args)
	}
	if wrong := (*UsageError)(nil); errors.As(err, &wrong) {
		if wrong.Example != "" {
			return fmt.Sprintf("%s\nFor example: `%s`", wrong.Problem, wrong.Example), nil
		}
		return fmt.Sprintf("%s\nUsage: `%s`", wrong.Problem, c.usage()), nil
	}
	if err != nil {
		return fmt.Sprintf("⚠️ `%s` did not work. The log has the details for the people who run me.", c.called()), err
	}
	return reply, nil
}

// Misplaced reports whether a command has an answer of its own in the wrong place, such as
// deleting a public message with a secret.
func (t *Table) Misplaced(c Command, at chat.Place) bool {
	return c.Misplaced != nil && c.Where.misplaced(at) != ""
}

// refusal is why the author of m cannot use a command there, or empty. It follows the
// command's name.
func (t *Table) refusal(ctx context.Context, c Command, m chat.Message) string {
	if why := c.Where.misplaced(m.Place); why != "" {
		return why
	}
	if c.Operator && !t.operates(ctx, m) {
		return "is for the people who run this bot"
	}
	if c.Off != nil {
		off := "is switched off here"
		if len(c.Always) > 0 {
			off += fmt.Sprintf(", except for `%s %s`", c.called(), strings.Join(c.Always, "` and `"+c.called()+" "))
		}
		if remedy := c.Off(); remedy != "" && t.operates(ctx, m) {
			return off + "; " + remedy
		} else if remedy != "" {
			return off
		}
	}
	return ""
}

// Alone returns a usage error if a command that takes no arguments has some.
func Alone(args, problem string) error {
	if args == "" {
		return nil
	}
	return &UsageError{Problem: problem}
}
