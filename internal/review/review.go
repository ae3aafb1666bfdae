// Package review has the commands with which people look at what the bot did, approve it and take it back: !confirm,
// !trace, !undo and !why.
package review

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/confirm"
	"discoclaw/internal/journal"
	"discoclaw/internal/undo"
)

// A Server knows who may read a channel, and which are gone.
type Server interface {
	WithoutGone(ctx context.Context, text string) string
	// MissingPermissions returns those of needs that a user lacks in a channel.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
}

// A Review has what the commands use.
type Review struct {
	Journal  *journal.Journal
	Cards    *confirm.Service
	Undo     *undo.Undo
	Server   Server
	Operates commands.Operates
	Log      *slog.Logger
}

// Commands implements [commands.Commander].
func (r *Review) Commands() []commands.Command {
	return []commands.Command{
		{
			Name: "confirm", Args: "<token>", Summary: "Approve what the bot asks about on a card.", Run: r.confirm,
			Options: []commands.Option{{Name: "token", Summary: "The code from the bottom of the card.", Required: true, Complete: r.openQuestions}},
		},
		{Name: "trace", Summary: "Show what the bot did last in this channel.", Run: r.trace},
		{
			Name: "undo", Args: "[earlier]", Summary: "Undo what the bot did last in this channel, where that is possible.", Run: r.takeBack,
			Options: []commands.Option{{Name: "what", Summary: "Undo what came before the last thing.", Choices: []string{undoEarlier}}},
		},
		{
			Name: "why", Args: "<message link>", Summary: "Show what the bot did about a message, and why.", Run: r.why,
			Options: []commands.Option{{
				Name: "link", Summary: "The link of the message, of the bot's answer, or of a card.", Required: true, Complete: r.recentLinks,
			}},
		},
	}
}

var tokenForm = regexp.MustCompile(`^[a-z0-9_-]+$`)

func (r *Review) confirm(ctx context.Context, m chat.Message, args string) (string, error) {
	// Phones capitalise, and people copy the markup around the token.
	args = strings.ToLower(strings.Trim(args, "`<> "))
	if len(args) < 6 || len(args) > 64 || !tokenForm.MatchString(args) {
		return "", &commands.UsageError{Problem: "Add the code from the bottom of the card."}
	}
	return r.Cards.Confirm(ctx, args, m.Author, m.Place), nil
}

// openQuestions returns the tokens of a channel's open approvals, for completion.
func (r *Review) openQuestions(ctx context.Context, _ chat.User, at chat.Place, _ string) []string {
	tokens, err := r.Cards.Open(ctx, at.Channel)
	if err != nil {
		r.Log.WarnContext(ctx, "open questions not read", "err", err)
	}
	return tokens
}

// undoEarlier asks for what was done before the last thing.
const undoEarlier = "earlier"

func (r *Review) takeBack(ctx context.Context, m chat.Message, args string) (string, error) {
	earlier := strings.EqualFold(args, undoEarlier)
	if args != "" && !earlier {
		return "", &commands.UsageError{Problem: "Just write `!undo`: it undoes what was done last. `!undo earlier` undoes what came before that."}
	}
	text, err := r.Undo.Offer(ctx, m, earlier)
	return r.Server.WithoutGone(ctx, text), err
}

// tracedTurns is how many turns !trace lists.
const tracedTurns = 10

func (r *Review) trace(ctx context.Context, m chat.Message, args string) (string, error) {
	if err := commands.Alone(args, "It shows what was done last in this channel. For a single message there is `!why <message link>`."); err != nil {
		return "", err
	}
	turns, err := r.Journal.Recent(ctx, m.Place.Channel, tracedTurns)
	if err != nil {
		return "", err
	}
	return r.Server.WithoutGone(ctx, journal.Trace(turns)), nil
}

// recentLinks returns the links of the last turns in a channel, for completion.
func (r *Review) recentLinks(ctx context.Context, _ chat.User, at chat.Place, _ string) []string {
	turns, err := r.Journal.Recent(ctx, at.Channel, tracedTurns)
	if err != nil {
		r.Log.WarnContext(ctx, "recent turns not read", "err", err)
	}
	var links []string
	for _, t := range turns {
		if link := t.Link(); link != "" {
			links = append(links, link)
		}
	}
	return links
}

// MessageLink matches the link of a message: its server or @me, its channel and its ID.
var MessageLink = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<?https?://[\w.]+/channels/(@me|[0-9]{15,20})/([0-9]{15,20})/([0-9]{15,20})>?$`)
})

// why describes one turn. The requester must be able to read the channel that it was in.
func (r *Review) why(ctx context.Context, m chat.Message, args string) (string, error) {
	link := MessageLink().FindStringSubmatch(args)
	if link == nil {
		return "", &commands.UsageError{Problem: "It needs the link of a message to me, of my answer or of a card (right-click it, Copy Message Link)."}
	}
	channel, message := chat.ChannelID(link[2]), chat.MessageID(link[3])
	unknown := "I know nothing about that message: it was not for me, or it is too long ago."
	if channel != m.Place.Channel {
		missing, err := r.Server.MissingPermissions(ctx, m.Place.Guild, m.Author.ID, channel,
			[]chat.Permission{chat.ViewChannel, chat.ReadHistory})
		if err != nil || len(missing) > 0 {
			return unknown, nil // as for an unknown message, so that the reply does not reveal that it exists
		}
	}
	turn, found, err := r.about(ctx, channel, message)
	if err != nil {
		return "", fmt.Errorf("read the journal: %w", err)
	}
	if !found {
		return unknown, nil
	}
	return r.Server.WithoutGone(ctx, journal.Why(turn, r.Operates(ctx, m))), nil
}

// about finds the turn of a message, which may also be a card.
func (r *Review) about(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (journal.Turn, bool, error) {
	if turn, found, err := r.Journal.About(ctx, ch, m); err != nil || found {
		return turn, found, err
	}
	id, found, err := r.Cards.TurnOf(ctx, ch, m)
	if err != nil || !found {
		return journal.Turn{}, false, err
	}
	return r.Journal.ByID(ctx, id)
}
