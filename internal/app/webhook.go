package app

import (
	"context"
	"fmt"
	"net"
	"strconv"

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
func (c *Core) listen(listen func(address string) (net.Listener, error)) (net.Listener, error) {
	if c.webhookAddress() == "" {
		return nil, nil
	}
	l, err := listen(c.webhookAddress())
	if err != nil {
		return nil, fmt.Errorf("webhooks cannot be received (%w); set DISCOCLAW_WEBHOOK_PORT to a port that no other program uses, or DISCOCLAW_WEBHOOK_ENABLED=0", err)
	}
	return l, nil
}

// openPort opens a port of this machine.
func (o Externals) openPort(address string) (net.Listener, error) {
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
