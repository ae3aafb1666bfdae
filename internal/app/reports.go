package app

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/journal"
	"discoclaw/internal/llm"
	"discoclaw/internal/status"
	"discoclaw/internal/turn"
)

// newBoard is where operators are told things.
func (c *Core) newBoard() *status.Board {
	known := journal.Hiding(c.Config.Secrets()...)
	o := status.Options{
		Send: c.discord.Send,
		Hide: func(text string) string { return llm.Redact(known(text)) },
		Log:  c.log,
	}
	if c.Config.Operation.Status != "" {
		o.Find = c.statusChannel
	}
	return status.New(o)
}

// statusChannel is the one that the settings name.
func (c *Core) statusChannel(ctx context.Context) (chat.ChannelID, error) {
	name := c.Config.Operation.Status
	ch, err := c.discord.ChannelAnywhere(ctx, chat.GuildID(c.Config.Discord.Guild), chat.ChannelRef(name))
	switch {
	case err != nil:
		return "", fmt.Errorf("DISCOCLAW_STATUS_CHANNEL: %w", err)
	case !ch.Kind.TakesMessages():
		return "", fmt.Errorf("DISCOCLAW_STATUS_CHANNEL: %q is a %s channel, which takes no messages; name a text channel", name, ch.Kind)
	}
	return ch.ID, nil
}

// reportTurn tells the operators of a turn that failed: where and why, and nothing of
// what was said there.
func (b *Bot) reportTurn(ctx context.Context, t turn.Report) {
	why, failed := failure(t.Err)
	if !failed || t.Requeued {
		return
	}
	what := "A reply"
	if t.Command != "" {
		what = "`!" + t.Command + "`"
	}
	b.board.Report(ctx, fmt.Sprintf("⚠️ %s failed in %s: %s.", what, t.Message.Place.Mention(), why))
}

// failure says why a turn failed, if it did: that somebody stopped it is no failure.
func failure(err error) (why string, failed bool) {
	var model *llm.Error
	var refused *discord.Error
	switch {
	case err == nil, errors.Is(err, turn.ErrStopped), errors.Is(err, turn.ErrRestarting):
		return "", false
	case errors.As(err, &model):
		return model.Error(), true
	case errors.As(err, &refused):
		return refused.Error(), true
	}
	return "something went wrong inside the bot; its log has the details", true
}

// reporting tells the operators of actions that failed through the bot's own fault:
// Discord does not let it do them, or there is a fault in it. What a person or a model
// got wrong is not the operators' business, nor what that person may not do.
func (b *Bot) reporting(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, bound actions.Bound) (actions.Result, error) {
		res, err := next(ctx, call, bound)
		var refused *discord.Error
		var fault *actions.PanicError
		if errors.As(err, &refused) && refused.Forbidden() || errors.As(err, &fault) {
			b.board.Report(ctx, fmt.Sprintf("⚠️ The action %s failed in %s: %s.", bound.Action.Name, call.Origin.Place.Mention(), err))
		}
		return res, err
	}
}
