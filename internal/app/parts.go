package app

import (
	"context"
	"path/filepath"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/botprofile"
	"discoclaw/internal/actions/channels"
	deferact "discoclaw/internal/actions/deferral"
	"discoclaw/internal/actions/forging"
	"discoclaw/internal/actions/guild"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/actions/moderation"
	"discoclaw/internal/actions/polls"
	"discoclaw/internal/actions/reactionprompt"
	"discoclaw/internal/actions/settings"
	"discoclaw/internal/actions/web"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/journal"
	"discoclaw/internal/llm/roles"
	planwork "discoclaw/internal/plan/work"
	"discoclaw/internal/reminder"
	"discoclaw/internal/status"
)

// A part is a feature of the bot: what it shows, and what it does by itself. A new feature is a line in [Core.allParts].
type part struct {
	face  actions.Category            // its actions; its commands, checks and sections of prompts by optional interfaces
	start func(context.Context, *Bot) // runs from the start on; nil for nothing
	run   func(context.Context, *Bot) // runs from the first login on: before that, nobody could read what it posts; nil for nothing
	wake  func()                      // has it look again for what is due, after the clock was moved; nil for nothing
}

// allParts returns the features, in the order in which prompts and docs list their actions.
func (c *Core) allParts() []part {
	always := func(run func(context.Context)) func(context.Context, *Bot) {
		return func(ctx context.Context, _ *Bot) { run(ctx) }
	}
	return []part{
		{face: messaging.New(c.discord, messaging.Options{
			Roots: c.folders(), Deny: c.offLimits(), Outbox: filepath.Join(c.dataDir, sendFolder), MaxSize: c.discord.UploadLimit,
			Once: c.sendOnce, Sent: outbox.NewSent(c.db, c.log), SentFor: journal.SentFor(c.db), Texts: c.files.Texts, Log: c.log,
		})},
		{face: reactionprompt.New(c.discord, c.choices)},
		{face: channels.New(c.discord)},
		{face: guild.New(c.discord)},
		{face: moderation.New(c.discord, c.zones.Of)},
		{face: polls.New(c.discord, journal.MadeFor(c.db, "poll"))},
		{face: c.taskFace, run: runTasks, wake: c.tasks.Wake},
		{face: c.jobs, start: startCrons, run: runCronPosts, wake: c.crons.Wake},
		{face: c.planFace, start: startPlans},
		{face: forging.New(c.planFace, c.planWork)},
		{face: botprofile.New(c.discord)},
		{face: c.imageCategory()},
		{face: newVoiceFace(c), start: startTalk},
		{face: settings.New(c.models, c.runtimes.Doubt)},
		{face: c.cards, start: startCards, wake: c.approvals.Wake},
		{face: web.New(c.search, c.Config.Search.Needs()...)},
		{
			face: deferact.New(c.discord, c.deferred, deferact.Options{Barred: c.policy().Bars(access.ByDefer), Operates: c.operates}),
			run:  runDeferrals, wake: c.deferred.Wake,
		},
		{face: c.remindFace, run: runReminders, wake: c.reminders.Wake},
		{face: c.memoryFace, start: always(c.memory.Run)},
		{start: always(c.recall.Run)},
		{start: always(c.meter.Run)},
	}
}

func categories(parts []part) (list []actions.Category) {
	for _, p := range parts {
		if p.face != nil {
			list = append(list, p.face)
		}
	}
	return list
}

func runTasks(ctx context.Context, b *Bot) {
	c := b.core
	c.tasks.Run(ctx, c.taskFace.Live(b.flows.Busy, c.runtimes.Asks(roles.Fast), c.Config.Tasks.AutoTag))
}

func startCrons(ctx context.Context, b *Bot) {
	if b.core.people["crons"].On {
		b.core.crons.Run(ctx, b.loggedIn, b.flows.Crons())
	}
}

func runCronPosts(ctx context.Context, b *Bot) {
	c := b.core
	c.cronPosts.Run(ctx, c.jobs.Live(b.flows.Busy, c.runtimes.Asks(roles.Cron), b.acts.Perform, c.Config.Crons.AutoTag))
}

func startPlans(ctx context.Context, b *Bot) {
	b.core.planWork.Run(ctx, planwork.Host{
		Ready: b.loggedIn, Model: planwork.Models(b.core.runtimes.Ask), Report: b.board.Of(status.Faults),
	})
}

func startCards(ctx context.Context, b *Bot) { b.approvals.Run(ctx, b.approving()) }

func runDeferrals(ctx context.Context, b *Bot) { b.core.deferred.Run(ctx, b.flows.Deferrals().Due) }

func runReminders(ctx context.Context, b *Bot) {
	b.core.reminders.Run(ctx, reminder.Live{Check: b.core.remindFace.May, Report: b.board.Of(status.Runs)})
}

// sendOnce posts a message of an action through the outbox, so that resuming the turn does not post
// it again.
func (c *Core) sendOnce(ctx context.Context, turn chat.TurnID, part string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	return c.outbox.Of(turn, nil).Post(ctx, part, ch, m)
}
