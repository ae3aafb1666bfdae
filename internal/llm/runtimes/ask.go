package runtimes

import (
	"context"
	"errors"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// Consult asks the model of a role a question of the bot's own, which belongs to no turn.
func (s *Set) Consult(ctx context.Context, role roles.Role, system, text string) (string, error) {
	return s.Ask(ctx, role, text, llm.Request{System: system})
}

// Asks returns Consult for a role.
func (s *Set) Asks(role roles.Role) func(ctx context.Context, system, text string) (string, error) {
	return func(ctx context.Context, system, text string) (string, error) {
		return s.Consult(ctx, role, system, text)
	}
}

// ConsultFast asks the fast model for the requester of a turn, who pays for it. Errors are sentences for people.
func (s *Set) ConsultFast(ctx context.Context, o actions.Origin, system, text string) (string, error) {
	payer := llm.Payer{User: string(o.Requester), Channel: string(o.Place.Channel), Job: o.Job, Turn: string(o.Turn)}
	answer, err := s.Ask(ctx, roles.Fast, text, llm.Request{System: system, Payer: payer})
	failed, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return answer, err
	}
	s.Log.WarnContext(ctx, "the fast model did not answer", "turn", o.Turn, "err", failed.Details())
	err = errors.New(failed.ForMembers())
	if failed.Remedy != "" {
		err = chat.WithRemedy(err, failed.Remedy)
	}
	return "", err
}

// Ask asks the model of a role a single question. The request has what else belongs to it.
func (s *Set) Ask(ctx context.Context, role roles.Role, text string, req llm.Request) (string, error) {
	model := s.Models.Resolved(role)
	req.Messages, req.Runtime, req.Model, req.Payer.Role = []llm.Message{{Role: llm.User, Text: text}}, model.Runtime,
		model.Model, string(role)
	var answer strings.Builder
	for event, err := range s.Invoke(ctx, req) {
		if err != nil {
			return "", err
		}
		if delta, ok := event.(llm.TextDelta); ok {
			answer.WriteString(delta.Text)
		}
	}
	return answer.String(), nil
}
