package app

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/cron/webhook"
	"discoclaw/internal/status"
)

// webhookAddress is where the webhooks of this bot are: on this machine alone. It is empty if none run jobs.
func (c *Core) webhookAddress() string {
	if !c.Config.Webhooks.Enabled || !c.Config.Crons.Enabled {
		return ""
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Config.Webhooks.Port))
}

// listen opens the port of webhooks. It returns nil if they are switched off.
func (c *Core) listen(out Outside) (net.Listener, error) {
	if c.webhookAddress() == "" {
		return nil, nil
	}
	l, err := out.openPort(c.webhookAddress())
	if err != nil {
		return nil, fmt.Errorf("webhooks cannot be received (%w); set DISCOCLAW_WEBHOOK_PORT to a port that no other program uses, or DISCOCLAW_WEBHOOK_ENABLED=0", err)
	}
	return l, nil
}

// openPort opens a port of this machine.
func (o Outside) openPort(address string) (net.Listener, error) {
	if o.Listen != nil {
		return o.Listen(address)
	}
	return net.Listen("tcp", address)
}

// serveWebhooks takes the calls of webhooks until ctx ends.
func (b *Bot) serveWebhooks(ctx context.Context, l net.Listener) {
	s := webhook.Server{Jobs: b.core.crons, Log: b.core.log}
	b.core.log.InfoContext(ctx, "webhooks are received", "address", b.core.webhookAddress())
	if err := s.Serve(ctx, l); err != nil {
		b.core.log.ErrorContext(ctx, "cannot receive webhooks any more", "err", err)
		b.board.Report(ctx, status.Doors, "⚠️ I cannot receive webhooks any more: "+err.Error()+". A restart may help.")
	}
}

// webhook answers !cron webhook, which shows the address and the secret of a job's webhook, and !cron new-secret. Only the form from the
// menu does: its answer is for one person, and neither others nor models read it.
func (b *Bot) webhook(ctx context.Context, m chat.Message, job string, renew bool) (string, error) {
	off, remedy := "", ""
	switch {
	case !b.core.Config.Webhooks.Enabled:
		off, remedy = "Webhooks are switched off here.", "Set `DISCOCLAW_WEBHOOK_ENABLED=1`."
	case m.ID != "" && !b.core.Config.Commands.Slash:
		off, remedy = "I show a webhook only in answers that nobody else sees, those of slash commands, and these are switched off here.", "Set `DISCOCLAW_SLASH_COMMANDS=1`."
	case m.ID != "":
		return "Everybody here could read the answer. Choose `/discoclaw cron` from the menu instead, which answers you alone.", nil
	}
	if off != "" {
		if b.operates(ctx, m) {
			off += " " + remedy
		}
		return off, nil
	}
	o := actions.Origin{Flow: actions.FlowMessage, Place: m.Place, Requester: m.Author.ID}
	j, secret, err := b.core.jobs.Webhook(ctx, o, job, renew)
	if err != nil {
		return chat.Capital(err.Error()) + ".", nil
	}
	what := "Secret"
	if renew {
		b.core.log.InfoContext(ctx, "a webhook has a new secret", "job", j.ID, "user", m.Author.ID)
		what = "New secret, and the only one from now on"
	}
	return fmt.Sprintf("%s runs once for each call that is signed with its secret.\nAddress: `http://%s%s%s`\n%s: `%s`\n-# Whoever has both can run it. `/discoclaw cron new-secret` replaces the secret.",
		chat.Bold(j.Name), b.core.webhookAddress(), webhook.Path, j.ID, what, secret), nil
}
