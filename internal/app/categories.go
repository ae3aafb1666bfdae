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
	voiceact "discoclaw/internal/actions/voice"
	"discoclaw/internal/actions/web"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/journal"
)

// categories returns all categories of actions, in the order in which prompts and docs list them.
// Adding a category is a line here.
func (c *Core) categories() []actions.Category {
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
		c.jobs,
		c.planFace,
		forging.New(c.planFace, c.planWork),
		botprofile.New(c.discord),
		c.imageCategory(),
		voiceact.New(c.discord, c.voice, voiceact.Options{Speech: c.speaker(), Book: c.book, Log: c.log}),
		settings.New(c.models, c.runtimes.Doubt),
		c.cards,
		web.New(c.search, c.Config.Search.Needs()...),
		deferact.New(c.discord, c.deferred, deferact.Options{Barred: c.policy().Bars(access.ByDefer), Operates: c.operates}),
		c.remindFace,
		c.memoryFace,
	}
}

// sendOnce posts a message of an action through the outbox, so that resuming the turn does not post
// it again.
func (c *Core) sendOnce(ctx context.Context, turn chat.TurnID, part string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	return c.outbox.Of(turn, nil).Post(ctx, part, ch, m)
}
