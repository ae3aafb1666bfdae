package commands

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A Commander is a category that also has commands.
type Commander interface{ Commands() []Command }

// A Verb is one form of a command, named by its first word. It is an action, unless it has a Run of its own.
type Verb struct {
	Name    string
	Type    string         // the action
	Missing string         // what is said if a required field is not given: "Say which task, …"
	Example string         // a use of it, to be shown with what is wrong
	Given   map[string]any // fields that it has beforehand
	// Tidy rewrites the text in which the fields are read; nil leaves it.
	Tidy func(text string) (string, error)

	// Read returns the input of the action, and the outside text in it. Nil means that the fields of the action are read from the words,
	// as the tags of its struct say.
	Read func(ctx context.Context, m chat.Message, text string) (input any, outside chat.Sources, err error)
	Run  func(ctx context.Context, m chat.Message, text string) (reply string, err error)
}

// A Request is an action that a command asks for.
type Request struct {
	Type    string
	Args    json.RawMessage
	Outside chat.Sources // the outside texts in it
	Hidden  string       // the answer if not all of its readers may know what was found
}

// An Actor runs actions for commands.
type Actor interface {
	// Fields returns the fields of an action.
	Fields(typ string) []schema.Field
	// Act runs an action with the rights of a command's author, and returns its result as the answer. The error is a *UsageError if the
	// fields make no sense.
	Act(ctx context.Context, m chat.Message, r Request) (answer string, err error)
}

// withVerbs returns a command whose option What and usage have the names of its verbs.
func (c Command) withVerbs() Command {
	names := verbNames(c.Verbs)
	if len(names) == 0 {
		return c
	}
	if c.Args == "" {
		c.Args = "[" + strings.Join(names, " | ") + "]"
	}
	c.Options = slices.Clone(c.Options)
	for i, o := range c.Options {
		if o.Name == What && o.Choices == nil {
			c.Options[i].Choices = names
		}
	}
	return c
}

func verbNames(verbs []Verb) (names []string) {
	for _, v := range verbs {
		names = append(names, v.Name)
	}
	return names
}

// runVerb runs the verb that the arguments begin with.
func (t *Table) runVerb(ctx context.Context, c Command, m chat.Message, args string) (string, error) {
	verb, text := CutWords(args, 1)
	if c.Choose != nil {
		verb, text = c.Choose(ctx, m, args)
	}
	i := slices.IndexFunc(c.Verbs, func(v Verb) bool { return strings.EqualFold(v.Name, verb) })
	switch {
	case verb == "":
		i = 0
	case i < 0:
		return "", &UsageError{Problem: "I know " + strings.Join(verbNames(c.Verbs), ", ") + "."}
	}
	answer, err := t.doVerb(ctx, c, c.Verbs[i], m, text)
	if wrong := (*UsageError)(nil); errors.As(err, &wrong) && wrong.Example == "" {
		wrong.Example = c.Verbs[i].Example
	}
	return answer, err
}

func (t *Table) doVerb(ctx context.Context, c Command, v Verb, m chat.Message, text string) (string, error) {
	if v.Run != nil {
		return v.Run(ctx, m, text)
	}
	r := Request{Type: v.Type, Hidden: c.Hidden}
	var input any
	var err error
	if v.Tidy != nil {
		if text, err = v.Tidy(text); err != nil {
			return "", err
		}
	}
	if v.Read != nil {
		input, r.Outside, err = v.Read(ctx, m, text)
	} else {
		input, err = reading{maps.Clone(v.Given), m.Author}.fields(text, t.actor.Fields(v.Type), v.Missing)
	}
	if err == nil {
		r.Args, err = schema.Encode(v.Type, input)
	}
	if err != nil {
		return "", err
	}
	return t.actor.Act(ctx, m, r)
}
