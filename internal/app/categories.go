package app

import (
	"context"
	"path/filepath"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/botprofile"
	"discoclaw/internal/actions/channels"
	deferact "discoclaw/internal/actions/deferral"
	"discoclaw/internal/actions/forging"
	"discoclaw/internal/actions/guild"
	memoryact "discoclaw/internal/actions/memory"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/actions/moderation"
	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/actions/polls"
	"discoclaw/internal/actions/reactionprompt"
	"discoclaw/internal/actions/reminders"
	"discoclaw/internal/actions/utility"
	voiceact "discoclaw/internal/actions/voice"
	"discoclaw/internal/actions/web"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/journal"
)

// categories returns all categories of actions, in the order in which prompts and docs list them.
// Adding a category is a line here.
func (c *Core) categories() []actions.Category {
	plans := planact.New(c.planWork)
	return []actions.Category{
		messaging.New(c.discord, messaging.Options{
			Roots: c.folders(), Deny: c.offLimits(), Outbox: filepath.Join(c.dataDir, sendFolder), MaxSize: c.discord.UploadLimit,
			Once: c.sendOnce, Sent: outbox.NewSent(c.db, c.log), SentFor: journal.SentFor(c.db), Texts: c.files.Texts, Log: c.log,
		}),
		reactionprompt.New(c.discord, c.choices),
		channels.New(c.discord),
		guild.New(c.discord),
		moderation.New(c.discord),
		polls.New(c.discord, journal.MadeFor(c.db, "poll")),
		c.taskFace,
		c.cronCategory(),
		plans,
		forging.New(plans, c.planWork),
		botprofile.New(c.discord),
		c.imageCategory(),
		voiceact.New(c.discord, c.voice, voiceact.Options{Speech: c.speaker(), Book: c.book, Log: c.log}),
		c.settings,
		utility.New(c.withdraw, c.cardAbout),
		web.New(c.search, c.Config.Search.Needs()...),
		deferact.New(c.discord, c.deferred, deferact.Options{Barred: c.barsDeferred, Operates: c.operates}),
		reminders.New(c.discord, c.reminders, c.barsDeferred),
		memoryact.New(memoryact.Options{Engine: c.memory, Talk: c.recall, Server: c.discord, Ask: c.runtimes.ConsultFast, Erase: c.erase}),
	}
}

// sendOnce posts a message of an action through the outbox, so that resuming the turn does not post
// it again.
func (c *Core) sendOnce(ctx context.Context, turn chat.TurnID, part string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	return c.outbox.Of(turn, nil).Post(ctx, part, ch, m)
}
