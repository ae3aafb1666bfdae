package app

import (
	"context"
	"regexp"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

// commands are all that people can write with an exclamation mark.
func (b *Bot) commands() *commands.Table {
	return commands.New(
		commands.Command{Name: "confirm", Args: "<token>", Summary: "Approve what the bot asks about.", Run: b.confirm},
	)
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{6,64}$`)

func (b *Bot) confirm(ctx context.Context, m chat.Message, args string) (string, error) {
	if !tokenForm.MatchString(args) {
		return "", &commands.UsageError{Problem: "The token stands on the card, below what is asked."}
	}
	return b.desk.Confirm(ctx, args, m.Author, m.Place), nil
}
