package crons

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/actions"
	engine "discoclaw/internal/cron"
)

// Webhook returns a job and the secret of its webhook, for its author and operators. With renew it gets a new secret. It is no
// action, because models must not see it. An error is a sentence for people.
func (c *Category) Webhook(ctx context.Context, o actions.Origin, ref string, renew bool) (engine.Job, string, error) {
	call := actions.Call{Origin: o}
	j, err := c.find(ctx, call, ref)
	if err != nil {
		return j, "", err
	}
	if !c.theirs(ctx, o, j) {
		return j, "", fmt.Errorf("%s belongs to %s; I show its webhook only to them and the people who run me", c.name(ctx, call, j), j.Author.Mention())
	}
	get := c.engine.Secret
	if renew {
		get = c.engine.RenewSecret
	}
	secret, err := get(ctx, j.ID)
	if errors.Is(err, engine.ErrNotFound) {
		err = fmt.Errorf("%s has no webhook: it runs %s", c.name(ctx, call, j), when(j))
	}
	return j, secret, err
}
