package app

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"discoclaw/internal/cron/webhook"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/status"
)

// takesCalls reports whether webhooks run jobs.
func (c *Core) takesCalls() bool { return c.Config.Webhooks.Enabled && c.people["crons"].On }

// webhookAddress is where the webhooks of this bot are: on this machine alone.
func (c *Core) webhookAddress() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Config.Webhooks.Port))
}

// listen opens the port of webhooks. It returns nil if they are switched off.
func (c *Core) listen(listen func(address string) (net.Listener, error)) (net.Listener, error) {
	if !c.takesCalls() {
		return nil, nil
	}
	l, err := listen(c.webhookAddress())
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

// ports are the findings about ports that the bot could not open, unless it has them open now.
func (c *Core) ports(out Outside) (list []Finding) {
	if datadir.InUse(c.dataDir) != nil {
		return nil
	}
	for _, open := range []func(func(string) (net.Listener, error)) (net.Listener, error){c.listen, c.mcpSettings().Listen} {
		switch l, err := open(out.openPort); {
		case err != nil:
			list = append(list, Finding{What: "ports", State: err.Error(), Wrong: true})
		case l != nil:
			_ = l.Close() // nothing has come in
		}
	}
	return list
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

// webhooks is what the check-up says of them.
func (c *Core) webhooks() Finding {
	if !c.takesCalls() {
		return Finding{What: "webhooks", State: "off; DISCOCLAW_WEBHOOK_ENABLED=1 lets programs on this machine run scheduled jobs"}
	}
	return Finding{What: "webhooks", State: "programs on this machine can run scheduled jobs with signed requests to http://" + c.webhookAddress() + webhook.Path}
}
