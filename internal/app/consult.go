package app

import (
	"context"
	"errors"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// consult asks the model of a role a question of the bot's own, which belongs to no turn.
func (b *Bot) consult(ctx context.Context, role roles.Role, system, text string) (string, error) {
	return b.core.consult(ctx, llm.Payer{Role: string(role)}, role, system, text)
}

// asks returns consult for a role.
func (b *Bot) asks(role roles.Role) func(ctx context.Context, system, text string) (string, error) {
	return func(ctx context.Context, system, text string) (string, error) {
		return b.consult(ctx, role, system, text)
	}
}

// askFast asks the fast model for the requester of a turn, who pays for it. Errors are sentences for people.
func (c *Core) askFast(ctx context.Context, o actions.Origin, system, text string) (string, error) {
	if c.runtime == nil {
		return "", errors.New("I have no language model to ask")
	}
	payer := llm.Payer{User: string(o.Requester), Channel: string(o.Place.Channel), Job: o.Job, Turn: string(o.Turn), Role: string(roles.Fast)}
	answer, err := c.consult(ctx, payer, roles.Fast, system, text)
	failed, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return answer, err
	}
	c.log.WarnContext(ctx, "the fast model did not answer", "turn", o.Turn, "err", failed.Details())
	err = errors.New(failed.ForMembers())
	if failed.Remedy != "" {
		err = chat.WithRemedy(err, failed.Remedy)
	}
	return "", err
}

// consult asks the model of a role a single question.
func (c *Core) consult(ctx context.Context, payer llm.Payer, role roles.Role, system, text string) (string, error) {
	model := c.models.Resolved(role)
	var answer strings.Builder
	for event, err := range c.runtime.Invoke(ctx, llm.Request{
		System: system, Messages: []llm.Message{{Role: llm.User, Text: text}}, Runtime: model.Runtime, Model: model.Model, Payer: payer,
	}) {
		if err != nil {
			return "", err
		}
		if delta, ok := event.(llm.TextDelta); ok {
			answer.WriteString(delta.Text)
		}
	}
	return answer.String(), nil
}
