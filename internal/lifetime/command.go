package lifetime

import (
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

// onlyStatus makes !restart only report the last start.
const onlyStatus = "status"

// Command returns !restart.
func (p *Process) Command() commands.Command {
	return commands.Command{
		Name: "restart", Args: "[status]", Summary: "Restart the bot, or show when it last started.", Operator: true, Run: p.run,
		Options: []commands.Option{{Name: "what", Summary: "Only show when it last started.", Choices: []string{onlyStatus}}},
	}
}

// run ends the bot so that it is started again, or reports the last start.
func (p *Process) run(ctx context.Context, m chat.Message, args string) (string, error) {
	switch strings.ToLower(args) {
	case "":
	case onlyStatus:
		return fmt.Sprintf("Up for %s, %s.\nVersion %s.", chat.Lasting(time.Since(p.began)), p.Origin(), p.Version), nil
	default:
		return "", &commands.UsageError{Problem: "Write `!restart` or `!restart status`."}
	}
	switch {
	case m.ID != "" && m.ID == p.start.Asked:
		return "", nil // the same message, resumed after the restart that it asked for
	case p.asked.Swap(true):
		return "The bot is restarting already.", nil
	}
	notice, err := p.Discord.Send(ctx, m.Place.Channel, chat.Outgoing{Text: "Restarting…", ReplyTo: m.ID})
	if err != nil {
		p.Log.WarnContext(ctx, "nobody could be told of the restart", "channel", m.Place.Channel, "err", err)
	}
	if err := p.Store.Restarting(ctx, Restart{By: m.Author, Asked: m.ID, Channel: m.Place.Channel, Notice: notice}); err != nil {
		p.Log.ErrorContext(ctx, "the restart was not written down", "err", err)
	}
	p.restart <- struct{}{} // never blocks: the swap above lets only one caller get here
	return "", nil
}
