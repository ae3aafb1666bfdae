package app

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/journal"
)

// commands are all that people can write with an exclamation mark.
func (b *Bot) commands() *commands.Table {
	return commands.New(
		commands.Command{Name: "confirm", Args: "<token>", Summary: "Approve what the bot asks about.", Run: b.confirm},
		commands.Command{Name: "trace", Summary: "List what the bot did last in this channel.", Run: b.trace},
		commands.Command{Name: "undo", Summary: "Take back what the bot did last in this channel, if it can be.", Run: b.takeBack},
		commands.Command{Name: "why", Args: "<message link>", Summary: "Tell what the bot did about a message, and why.", Run: b.why},
	)
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{6,64}$`)

func (b *Bot) confirm(ctx context.Context, m chat.Message, args string) (string, error) {
	// Phones capitalise, and people copy what stands around.
	args = strings.ToLower(strings.Trim(args, "`<> "))
	if !tokenForm.MatchString(args) {
		return "", &commands.UsageError{Problem: "The token stands on the card, below what is asked."}
	}
	return b.desk.Confirm(ctx, args, m.Author, m.Place), nil
}

func (b *Bot) takeBack(ctx context.Context, m chat.Message, args string) (string, error) {
	if args != "" {
		return "", &commands.UsageError{Problem: "It takes back what was done last, and nothing else."}
	}
	return b.undo.Offer(ctx, m)
}

// tracedTurns is how many turns !trace lists.
const tracedTurns = 10

func (b *Bot) trace(ctx context.Context, m chat.Message, args string) (string, error) {
	if args != "" {
		return "", &commands.UsageError{Problem: "It lists this channel's last turns. For a single one there is `!why <message link>`."}
	}
	turns, err := b.journal.Recent(ctx, m.Place.Channel, tracedTurns)
	if err != nil {
		return "", err
	}
	return journal.Trace(turns, time.Now()), nil
}

var messageLink = regexp.MustCompile(`^<?https?://[\w.]+/channels/(@me|[0-9]{15,20})/([0-9]{15,20})/([0-9]{15,20})>?$`)

// why tells about one turn. Who asks must be able to read the channel that it was in.
func (b *Bot) why(ctx context.Context, m chat.Message, args string) (string, error) {
	link := messageLink.FindStringSubmatch(args)
	if link == nil {
		return "", &commands.UsageError{Problem: "It takes the link of a message: of what was asked, or of the bot's answer (right click, Copy Message Link)."}
	}
	channel, message := chat.ChannelID(link[2]), chat.MessageID(link[3])
	unknown := "I know nothing about that message: it was not for me, or it is too long ago."
	if channel != m.Place.Channel {
		missing, err := b.core.discord.Missing(ctx, m.Place.Guild, m.Author.ID, channel, []chat.Permission{chat.ViewChannel, chat.ReadHistory})
		if err != nil || len(missing) > 0 {
			return unknown, nil // the same as for what is not there: it is nobody's business
		}
	}
	turn, found, err := b.journal.About(ctx, channel, message)
	if err != nil {
		return "", fmt.Errorf("read the journal: %w", err)
	}
	if !found {
		return unknown, nil
	}
	return journal.Why(turn, m.Author.ID), nil
}
