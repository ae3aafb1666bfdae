package app

import (
	"context"

	"discoclaw/internal/config"
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/class"
)

// newProgress returns what shows people how far the bot is with their messages, and the problems of the settings.
func newProgress(c *Core) (*lifecycle.Driver, []string) {
	r := c.Config.Lifecycle
	emojis, problems := lifecycle.ParseEmojis(phaseSettings(r))
	return lifecycle.New(c.discord, lifecycle.Mode(r.Mode), emojis, c.log), problems
}

func phaseSettings(r config.Lifecycle) [5]lifecycle.Setting {
	return [5]lifecycle.Setting{
		{Name: "DISCOCLAW_REACTION_RECEIVED", Value: r.Received},
		{Name: "DISCOCLAW_REACTION_PROCESSING", Value: r.Processing},
		{Name: "DISCOCLAW_REACTION_SUCCESS", Value: r.Success},
		{Name: "DISCOCLAW_REACTION_COMPLETE", Value: r.Complete},
		{Name: "DISCOCLAW_REACTION_ERROR", Value: r.Error},
	}
}

// judge returns how answers are classed; nil if they are not.
func (b *Bot) judge() turn.Judge {
	switch b.core.Config.Chat.Classifier {
	case "off":
		return nil
	case "model":
		return func(ctx context.Context, text string) class.Class {
			return class.ByModel(ctx, text, func(ctx context.Context, system, text string) (string, error) {
				return b.core.runtimes.Consult(ctx, roles.Fast, system, text)
			})
		}
	}
	return func(_ context.Context, text string) class.Class { return class.Heuristic(text) }
}
