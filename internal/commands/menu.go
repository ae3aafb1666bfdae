package commands

import (
	"context"
	"strings"

	"discoclaw/internal/chat"
)

// An Option is an argument of a command in the menu.
type Option struct {
	Name     string // in lower case
	Summary  string // of at most 100 characters
	Required bool
	Choices  []string // the only values; none means any. The option What has the names of the verbs
	// Complete returns suggestions for the text typed so far, the likeliest first, within a
	// second or two. It may be nil.
	Complete func(ctx context.Context, who chat.User, at chat.Place, typed string) []string
}

// What is the option for a command's verb.
const What = "what"

// menuName is the one slash command. Its entries are the commands.
const menuName = "discoclaw"

// Ask is the command that the entry in the menu of messages leads to, with this option.
const (
	Ask         = "ask"
	AskQuestion = "question"

	askAbout = "Ask about this"
)

// What the menu of each of the bot's answers is for, besides questions. The buttons below answers have these labels, too.
const (
	Redo         = "Redo"
	DeleteAnswer = "Delete answer"
)

// Menu is the table as a slash command. Discord shows it to all members, so it also has
// commands that some of them may not use.
func (t *Table) Menu() chat.Menu {
	menu := chat.Menu{Name: menuName, Summary: "Ask the bot, and what it does by itself, without a model.",
		OnMessages: []string{Redo, DeleteAnswer}}
	for _, c := range t.commands {
		entry := chat.MenuEntry{Name: c.Name, Summary: c.Summary}
		for _, o := range c.Options {
			entry.Options = append(entry.Options, chat.MenuOption{
				Name: o.Name, Summary: o.Summary, Required: o.Required, Choices: o.Choices, Suggests: o.Complete != nil,
			})
		}
		menu.Entries = append(menu.Entries, entry)
		if c.Name == Ask {
			menu.OnMessages = append(menu.OnMessages, askAbout)
		}
	}
	return menu
}

// Asked is the choice of the command Ask from the menu of a message, whose link follows the question.
func Asked(s chat.Submission, link string) chat.Invocation {
	question := strings.TrimSpace(s.Values[AskQuestion]) + "\n" + link
	return chat.Invocation{Place: s.Place, User: s.User, Menu: menuName, Entry: Ask, Answer: s.Answer,
		Values: map[string]string{AskQuestion: question}}
}

// Chosen is the command that was chosen from the menu, with its arguments as they would
// have been written.
func (t *Table) Chosen(i chat.Invocation) (c Command, args string, ok bool) {
	if i.Menu != menuName {
		return Command{}, "", false
	}
	c, _, ok = t.lookup(i.Entry, "")
	var given []string
	for _, o := range c.Options {
		if text := strings.TrimSpace(i.Values[o.Name]); text != "" {
			given = append(given, text)
		}
	}
	return c, strings.Join(given, " "), ok
}

// MaxSuggestions is how many suggestions Discord shows, and maxSuggestionLength how long
// each may be.
// https://discord.com/developers/docs/interactions/application-commands#autocomplete
const (
	MaxSuggestions      = 25
	maxSuggestionLength = 100
)

// Complete returns suggestions for an option in the menu. A user who may not use the command
// gets none.
func (t *Table) Complete(ctx context.Context, typing chat.Completion) []string {
	c, _, ok := t.lookup(typing.Entry, "")
	if !ok || typing.Menu != menuName || t.refusal(ctx, c, chat.Message{Author: typing.User, Place: typing.Place}) != "" {
		return nil
	}
	for _, o := range c.Options {
		if o.Name == typing.Option && o.Complete != nil {
			return fitting(o.Complete(ctx, typing.User, typing.Place, typing.Typed), typing.Typed)
		}
	}
	return nil
}

// fitting are the suggestions that contain the typed text, up to MaxSuggestions.
func fitting(all []string, typed string) []string {
	var list []string
	for _, s := range all {
		if len(list) < MaxSuggestions && chat.Length(s) <= maxSuggestionLength &&
			strings.Contains(strings.ToLower(s), strings.ToLower(strings.TrimSpace(typed))) {
			list = append(list, s)
		}
	}
	return list
}
