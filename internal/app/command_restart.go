package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/inspect"
	"discoclaw/internal/lifetime"
)

// restartStatus makes !restart only report the last start.
const restartStatus = "status"

// restart ends the bot so that it is started again, or reports the last start.
func (b *Bot) restart(ctx context.Context, m chat.Message, args string) (string, error) {
	switch strings.ToLower(args) {
	case "":
	case restartStatus:
		return b.uptime(), nil
	default:
		return "", &commands.UsageError{Problem: "Write `!restart` or `!restart status`."}
	}
	switch {
	case m.ID != "" && m.ID == b.process.start.Asked:
		return "", nil // the same message, resumed after the restart that it asked for
	case b.process.asked.Swap(true):
		return "The bot is restarting already.", nil
	}
	notice, err := b.core.discord.Send(ctx, m.Place.Channel, chat.Outgoing{Text: "Restarting…", ReplyTo: m.ID})
	if err != nil {
		b.core.log.WarnContext(ctx, "nobody could be told of the restart", "channel", m.Place.Channel, "err", err)
	}
	asked := lifetime.Restart{By: m.Author, Asked: m.ID, Channel: m.Place.Channel, Notice: notice}
	if err := b.process.store.Restarting(ctx, asked); err != nil {
		b.core.log.ErrorContext(ctx, "the restart was not written down", "err", err)
	}
	b.process.restart <- struct{}{} // never blocks: the swap above lets only one caller get here
	return "", nil
}

// uptime returns the uptime, how the last start came about, and the version.
func (b *Bot) uptime() string {
	return fmt.Sprintf("Up for %s, %s.\nVersion %s.", chat.Lasting(time.Since(b.process.began)), origin(b.process.start), inspect.VersionText())
}
