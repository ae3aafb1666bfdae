package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// What a field's tag word may be. Any other text is what a word begins with: "due:", "@", "#", or "p" before a number.
const (
	firstWord  = "first" // the first word
	plainWords = "text"  // all words that no other field has
	moreLines  = "lines" // what follows the first line
)

// A reading finds the fields of an action in the words of a command.
type reading struct {
	given map[string]any // by the names of the fields
	by    chat.User
}

// fields reads all fields. Missing is what is said if a required one is not there.
func (r reading) fields(text string, all []schema.Field, missing string) (map[string]any, error) {
	if r.given == nil {
		r.given = map[string]any{}
	}
	place, sign := map[string]schema.Field{}, map[string]schema.Field{}
	for _, f := range all {
		for _, word := range f.Words {
			if word == firstWord || word == plainWords || word == moreLines {
				place[word] = f
			} else {
				sign[word] = f
			}
		}
	}
	if f, ok := place[firstWord]; ok {
		var word string
		word, text = CutWords(text, 1)
		r.set(f, word)
	}
	if f, ok := place[moreLines]; ok {
		var more string
		text, more, _ = strings.Cut(text, "\n")
		r.set(f, strings.TrimSpace(more))
	}
	text = r.signs(strings.TrimSpace(text), sign)
	f, ok := place[plainWords]
	if text != "" && !ok {
		return nil, &UsageError{Problem: fmt.Sprintf("I did not understand “%s”.", chat.Literal(chat.Clip(chat.OneLine(text), 60)))}
	}
	r.set(f, text)
	for _, f := range all {
		if _, ok := r.given[f.Name]; !ok && f.Required {
			return nil, &UsageError{Problem: missing}
		}
	}
	return r.given, nil
}

// set gives a field its text, if there is any.
func (r reading) set(f schema.Field, text string) {
	if text != "" {
		r.given[f.Name] = text
	}
}

// signs reads the words with a sign, and returns the others.
func (r reading) signs(text string, fields map[string]schema.Field) string {
	if len(fields) == 0 {
		return text // with its lines
	}
	var plain []string
	for word := range strings.FieldsSeq(text) {
		known := false
		for sign, f := range fields {
			if value, ok := cutPrefixFold(word, sign); ok && !known {
				known = r.sign(f, sign, value)
			}
		}
		if !known {
			plain = append(plain, word)
		}
	}
	return strings.Join(plain, " ")
}

var tagForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}_-][\p{L}\p{N}_:-]*$`) })

// sign reads what follows a sign, and reports whether that makes sense. If not, it is a word like others: #1, @, p2p.
func (r reading) sign(f schema.Field, sign, value string) bool {
	list, _ := r.given[f.Name].([]string)
	n, err := strconv.Atoi(value)
	switch {
	case f.Kind == schema.Integer && (err != nil || !f.Fits(n)), sign == "#" && !tagForm().MatchString(value), sign == "@" && value == "":
		return false
	case f.Kind == schema.Integer:
		r.given[f.Name] = n
	case f.Kind == schema.List:
		r.given[f.Name] = append(list, value)
	case sign == "@" && strings.EqualFold(value, "me"):
		r.given[f.Name] = string(r.by.ID)
	case strings.EqualFold(value, "none"), sign == "@" && strings.EqualFold(value, "nobody"):
		r.given[f.Name] = ""
	case sign == "@" || sign == "<@": // a mention is whole only with its sign
		r.given[f.Name] = sign + value
	default:
		r.given[f.Name] = value
	}
	return true
}

func cutPrefixFold(word, prefix string) (string, bool) {
	if len(word) < len(prefix) || !strings.EqualFold(word[:len(prefix)], prefix) {
		return "", false
	}
	return word[len(prefix):], true
}

// CutWords splits a text after n words. The line breaks of the rest stay.
func CutWords(text string, n int) (words, rest string) {
	text = strings.TrimSpace(text)
	rest = text
	for range n {
		rest = strings.TrimSpace(rest)
		if i := strings.IndexAny(rest, " \t\r\n"); i >= 0 {
			rest = rest[i:]
		} else {
			rest = ""
		}
	}
	return strings.TrimSpace(text[:len(text)-len(rest)]), strings.TrimSpace(rest)
}
