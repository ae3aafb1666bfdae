package app

import (
	"context"
	"fmt"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	cronact "discoclaw/internal/actions/crons"
	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// newCrons returns the engine of scheduled jobs.
func newCrons(c *Core, out Outside) *cron.Engine {
	return cron.New(c.db, cron.Options{
		Zone: c.Config.Chat.Zone(), Running: c.inbox.HasUnfinished, Now: c.now, NewID: out.CronID, NewSecret: out.CronSecret, Log: c.log,
		Changed: func(g chat.GuildID, id string) { c.cronPosts.JobChanged(g, id) },
	})
}

// cronCategory returns the actions on scheduled jobs.
func (c *Core) cronCategory() actions.Category {
	c.jobs = cronact.New(c.discord, c.crons, cronact.Options{
		Posts: c.cronPosts,
		Barred: func(who chat.UserID, where chat.Place) string {
			return string(c.policy().Admit(access.ByCron, chat.User{ID: who}, where))
		},
		Operates: c.operates,
		Type: func(name string) (*actions.Action, actions.Verdict) {
			gate, _ := c.Inspect.Gate(string(access.ByCron.Flow)) // which there is
			a, _ := gate.Action(name)
			return a, gate.Verdict(name)
		},
		Stop: func(job string, by chat.UserID) bool {
			return c.stopCron != nil && c.stopCron(job, by)
		},
		Model:    checkModel,
		Webhooks: c.Config.Webhooks.Enabled,
		Address:  c.webhookAddress(),
	})
	return c.jobs
}

// checkModel checks the name of a model.
func checkModel(name string) error { return new(roles.Name).UnmarshalText([]byte(name)) }

// runCrons starts scheduled jobs when they are due. It waits for the first login, before which their output could not be read.
func (b *Bot) runCrons(ctx context.Context) {
	if !b.core.people["crons"].On {
		return
	}
	select {
	case <-ctx.Done():
	case <-b.loggedIn:
		b.core.crons.Run(ctx, b.flows.Crons().Due)
	}
}

// cronModel returns the model of a scheduled job: its own, or that of the role.
func (c *Core) cronModel(own string) (llm.Choice, error) {
	if own == "" {
		return c.models.Resolved(roles.CronExec), nil
	}
	return c.models.Named(roles.Name(own))
}

// route finds the channel of a message that a turn posts elsewhere: one that the bot serves, and in which all people of the turn may write.
func (c *Core) route(ctx context.Context, o actions.Origin, ref chat.ChannelRef) (chat.Place, error) {
	ch, err := c.discord.Channel(ctx, o.Place.Guild, o.Requester, ref)
	if err != nil {
		return chat.Place{}, err
	}
	if !ch.Kind.TakesMessages() {
		return chat.Place{}, fmt.Errorf("%s takes no messages", ch.ID.Mention())
	}
	if !c.policy().Listens(ch.Place()) {
		return chat.Place{}, fmt.Errorf("I am not active in %s", ch.ID.Mention())
	}
	for _, who := range o.People() {
		missing, err := c.discord.MissingPermissions(ctx, o.Place.Guild, who, ch.ID, []chat.Permission{chat.ViewChannel, chat.SendMessages})
		if err != nil {
			return chat.Place{}, err
		}
		if len(missing) > 0 {
			return chat.Place{}, fmt.Errorf("%s lacks *%s* in %s", who.Mention(), missing[0], ch.ID.Mention())
		}
	}
	return ch.Place(), nil
}
