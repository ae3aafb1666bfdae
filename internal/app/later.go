package app

import (
	"cmp"
	"path/filepath"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	cronact "discoclaw/internal/actions/crons"
	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/cron/posts"
	"discoclaw/internal/cron/webhook"
	"discoclaw/internal/deferral"
	"discoclaw/internal/flow"
	"discoclaw/internal/llm/roles"
)

// newCrons returns the engine of scheduled jobs, and that of their posts.
func newCrons(c *Core, out Externals) (*cron.Engine, *posts.Engine) {
	cfg := c.Config.Crons
	jobs := cron.New(c.db, cron.Options{
		Zone: c.Config.Chat.Zone(), ZoneOf: c.zones.Of, Running: c.inbox.HasUnfinished,
		Now: c.now, NewID: out.CronID, NewSecret: out.CronSecret, Log: c.log,
	})
	return jobs, posts.New(c.db, posts.Options{
		Forum:   chat.ChannelID(cfg.Forum),
		TagMap:  cmp.Or(cfg.TagMap, filepath.Join(c.dataDir, "cron", "tag-map.json")),
		Server:  c.discord,
		Outbox:  c.outbox,
		Choices: c.choices,
		Jobs:    jobs,
		Guilds:  func() []chat.GuildID { return c.served("crons") },
		Allowed: c.policy().Admits(access.ByThread),
		Log:     c.log,
	})
}

// newCronFace returns the category of scheduled jobs.
func newCronFace(c *Core) *cronact.Category {
	o := cronact.Options{
		Posts: c.cronPosts, Barred: c.policy().Bars(access.ByCron), Operates: c.operates, Model: roles.Check,
		Slash: c.Config.Commands.Slash, Log: c.log,
		Type: func(name string) (*actions.Action, actions.Verdict) {
			gate, _ := c.Inspect.Gate(string(access.ByCron.Flow)) // which there is
			a, _ := gate.Action(name)
			return a, gate.Verdict(name)
		},
	}
	if at := c.webhookAddress(); at != "" {
		o.Webhooks = "http://" + at + webhook.Path
	}
	return cronact.New(c.discord, c.crons, o)
}

// newDeferrals returns the engine of deferred runs.
func newDeferrals(c *Core) *deferral.Engine {
	return deferral.New(c.db, deferral.Options{
		MaxDelay:   time.Duration(c.Config.Actions.DeferMaxDelay * float64(time.Second)),
		MaxPending: c.Config.Actions.DeferMaxPending,
		Keeper:     flow.PutOff{Inbox: c.inbox},
		Now:        c.now,
		Log:        c.log,
	})
}
