package app

import (
	"context"

	"discoclaw/internal/actions"
	"discoclaw/internal/consent"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// cleanReader returns the model that tells what a person's own words ask for. Who asks pays for it.
func (c *Core) cleanReader(o actions.Origin) consent.Reader {
	return func(ctx context.Context, system, message string) (string, error) {
		patience := consent.Patience
		if c.runtimes.IsProgram(c.models.Resolved(roles.Consent)) {
			patience = consent.ProgramPatience
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		payer := llm.Payer{User: string(o.Requester), Channel: string(o.Place.Channel), Job: o.Job, Turn: string(o.Turn)}
		return c.runtimes.Ask(ctx, roles.Consent, message, llm.Request{System: system, Payer: payer})
	}
}
