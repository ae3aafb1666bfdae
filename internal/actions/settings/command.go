package settings

import (
	"context"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/llm/roles"
)

// What !models can do.
const (
	setModel   = "set"
	resetModel = "reset"
)

// Commands implements [commands.Commander]: !models shows and changes the models of the roles.
func (c *Category) Commands() []commands.Command {
	return []commands.Command{{
		Name: "models", Args: "[set <role> <model> | reset [role]]", Operator: true, Run: c.command,
		Summary: "Show which models are used, or change one until the bot restarts.",
		Options: []commands.Option{
			{Name: "what", Summary: "What to do; a list of the models if left out.", Choices: []string{"show", setModel, resetModel}},
			{Name: "role", Summary: "Which role.", Choices: roles.Chat.Choices()},
			{Name: "model", Summary: "A tier, a model's name or a runtime, as in deep, gpt-6-sol, anthropic or gemini:fast."},
		},
	}}
}

func (c *Category) command(_ context.Context, _ chat.Message, args string) (string, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0, len(words) == 1 && words[0] == "show":
		return c.show() + "\n-# A change lasts until I restart; the settings count again then.", nil
	case len(words) == 3 && words[0] == setModel:
		return c.setModels(words[2], words[1])
	case len(words) == 2 && words[0] == resetModel:
		return c.setModels(string(roles.Default), words[1])
	case len(words) == 1 && words[0] == resetModel:
		return c.setModels(string(roles.Default), roles.Chat.Choices()...)
	}
	return "", &commands.UsageError{Problem: "Say which role and which model.", Example: "!models set chat anthropic:capable"}
}

// setModels gives roles a model, and says so.
func (c *Category) setModels(model string, names ...string) (string, error) {
	var done []string
	for _, role := range names {
		summary, err := c.set(roles.Role(strings.ToLower(role)), roles.Name(model))
		if err != nil {
			return chat.Capital(chat.ForOperators(err).Error()) + ".", nil
		}
		done = append(done, chat.Capital(summary)+".")
	}
	if len(done) > 1 {
		return "All roles have the models of the settings again.\n" + c.show(), nil
	}
	return done[0], nil
}
