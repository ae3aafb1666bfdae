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
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// newBoard returns the board that posts to the status channel.
func (c *Core) newBoard() *status.Board {
	o := status.Options{
		Send: c.discord.Send,
		Hide: c.hide(),
		Log:  c.log,
	}
	if c.Config.Operation.Status != "" {
		o.Find = c.statusChannel
	} else if c.Config.Operation.Direct {
		o.Direct = &status.Direct{
			Operators: c.operatorIDs, Open: c.discord.OpenDirect,
			Told: store.NewCell(c.db, "reports to operators", map[status.Kind]status.Told{}),
		}
	}
	return status.New(o)
}

// maxOperators is how many operators are written to, if there is no status channel.
const maxOperators = 10

// operatorIDs returns the operators whom the bot writes to.
func (c *Core) operatorIDs(ctx context.Context) (list []chat.UserID) {
	p := c.policy()
	for _, u := range p.Users {
		if len(list) < maxOperators && p.Operates(ctx, c.discord, u, "") {
			list = append(list, u)
		}
	}
	return list
}

// hide returns what takes the secrets of the settings, and what looks like one, out of a text.
func (c *Core) hide() func(string) string {
	known := journal.Hiding(c.Config.Secrets()...)
	return func(text string) string { return llm.Redact(known(text)) }
}

// statusChannel finds the status channel of the settings.
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

// reportTurn reports a failed turn to the operators: where and why, but nothing of what was said.
func (b *Bot) reportTurn(ctx context.Context, t turn.Report) {
	why, failed := failure(t.Err)
	if !failed || t.Requeued {
		return
	}
	what := "A reply"
	if t.Command != "" {
		what = "`!" + t.Command + "`"
	}
	if refused, ok := errors.AsType[*llm.Error](t.Err); ok && refused.Repeated {
		return
	}
	b.board.Report(ctx, status.Replies, fmt.Sprintf("⚠️ %s failed in %s: %s.", what, t.Message.Place.Mention(), why))
}

// failure reports whether a turn failed, and why. A turn that was stopped or interrupted by a
// restart did not.
func failure(err error) (why string, failed bool) {
	var model *llm.Error
	var refused *discord.Error
	switch {
	case err == nil, errors.Is(err, turn.ErrStopped), errors.Is(err, turn.ErrGoingDown):
		return "", false
	case errors.As(err, &model):
		return model.Error(), true
	case errors.As(err, &refused):
		return refused.Error(), true
	}
	return "something went wrong inside the bot; its log has the details", true
}

// reporting is a middleware that reports an action to the operators if it failed because Discord
// forbids it to the bot or does not serve it, or because of a panic. Mistakes of people and models are not reported, nor
// permissions that the requester lacks, nor what was stopped.
func (b *Bot) reporting(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, bound actions.Bound) (actions.Result, error) {
		res, err := next(ctx, call, bound)
		if call.Weighed() {
			return res, err // if it fails, it does so once more
		}
		var refused *discord.Error
		var fault *actions.PanicError
		unserved := errors.As(err, &refused) && (refused.Forbidden() || !refused.Permanent() && ctx.Err() == nil)
		if unserved || errors.As(err, &fault) {
			b.board.Report(ctx, status.Actions, fmt.Sprintf("⚠️ The action %s failed in %s: %s.", bound.Action.Name, call.Origin.Place.Mention(), err))
		}
		return res, err
	}
}
