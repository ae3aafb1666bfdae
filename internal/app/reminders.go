package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/discord"
	"discoclaw/internal/reminder"
)

// newReminders returns the engine of reminders.
func newReminders(c *Core) *reminder.Engine {
	return reminder.New(c.db, reminder.Options{Outbox: c.outbox, Server: c.discord, Check: c.mayRemind, Now: c.now, Log: c.log})
}

// runReminders posts reminders when they are due, from the first login on.
func (b *Bot) runReminders(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-b.loggedIn:
		b.core.reminders.Run(ctx)
	}
}

// mayRemind checks whether a reminder may be posted, since much can have changed after it was set.
// A *reminder.Refusal is final. After other errors, such as an outage of the server, the engine
// retries.
func (c *Core) mayRemind(ctx context.Context, r reminder.Reminder) error {
	place := chat.Place{Channel: r.Channel}
	if r.Guild != "" {
		if c.discord.GuildPending(r.Guild) {
			return errors.New("its server is out of order")
		}
		ch, err := c.discord.ChannelByID(ctx, r.Channel)
		if err != nil {
			return err
		}
		if ch.Guild != r.Guild || !ch.Kind.TakesMessages() {
			return &reminder.Refusal{Why: "that is not a channel for messages any more"}
		}
		place = ch.Place()
	}
	if why := c.policy().Bars(access.ByDefer)(r.Requester, place); why != "" {
		return &reminder.Refusal{Why: fmt.Sprintf("I do not serve <@%s> there any more", r.Requester)}
	}
	if r.Guild == "" {
		return nil
	}
	if err := c.holds(ctx, r, r.Requester, chat.ViewChannel, chat.SendMessages); err != nil {
		return err
	}
	return c.holds(ctx, r, r.Recipient, chat.ViewChannel)
}

// holds returns an error unless a user has permissions in the reminder's channel. Somebody who left
// the server has none.
func (c *Core) holds(ctx context.Context, r reminder.Reminder, who chat.UserID, needs ...chat.Permission) error {
	missing, err := c.discord.MissingPermissions(ctx, r.Guild, who, r.Channel, needs)
	if errors.Is(err, discord.ErrNotFound) {
		return &reminder.Refusal{Why: fmt.Sprintf("<@%s> is not there any more", who)}
	}
	if err != nil {
		return fmt.Errorf("look up the rights of a user: %w", err)
	}
	if len(missing) > 0 {
		return &reminder.Refusal{Why: fmt.Sprintf("<@%s> lacks *%s* there", who, missing[0])}
	}
	return nil
}

// remindCommand returns !remind, which manages reminders without a model.
func (b *Bot) remindCommand() commands.Command {
	return commands.Command{
		Name: "remind", Args: "[20m text | cancel 3]", Summary: "List your reminders, set one, or cancel one.",
		Run: b.remind,
		Options: []commands.Option{
			{Name: "when", Summary: "20m, 2h, 3d, a time such as 2026-12-24T09:00+01:00, or cancel."},
			{Name: "text", Summary: "What it says; after cancel, the number of the reminder."},
		},
	}
}

func (b *Bot) remind(ctx context.Context, m chat.Message, args string) (string, error) {
	if args == "" {
		list, err := b.core.reminders.Waiting(ctx, m.Author.ID)
		if err != nil {
			return "", err
		}
		call := actions.Call{Origin: actions.Origin{Place: m.Place}}
		open := func(ch chat.ChannelID) bool { return call.Tells(ctx, b.core.discord.Readable, ch) }
		return chat.Capital(reminder.Listed(list, m.Place, "", open)), nil
	}
	if first, rest, _ := strings.Cut(args, " "); strings.EqualFold(first, "cancel") {
		return b.cancelReminder(ctx, m, rest)
	}
	due, text, ok := whenAndWhat(args, b.core.now())
	if !ok || text == "" {
		return "", &commands.UsageError{Problem: "Say when, and then what: a length of time such as 20m, 2h or 3d, or a time such as 2026-12-24T09:00+01:00."}
	}
	r := reminder.Reminder{Guild: m.Place.Guild, Channel: m.Place.Channel, AskedIn: m.Place.Channel, Recipient: m.Author.ID, Requester: m.Author.ID, Text: text, Due: due}
	if err := b.core.mayRemind(ctx, r); err != nil {
		if refusal := (*reminder.Refusal)(nil); errors.As(err, &refusal) {
			return chat.Capital(refusal.Why) + ".", nil
		}
		return "", err
	}
	r, err := b.core.reminders.Schedule(ctx, r)
	if err != nil {
		return chat.Capital(err.Error()) + ".", nil
	}
	return reminder.Promise(r, m.Place.Channel) + ".", nil
}

func (b *Bot) cancelReminder(ctx context.Context, m chat.Message, number string) (string, error) {
	id, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil {
		return "", &commands.UsageError{Problem: "The number of a reminder follows; `!remind` lists yours."}
	}
	r, err := b.core.reminders.Cancel(ctx, id, m.Author.ID, m.Place.Guild)
	if errors.Is(err, reminder.ErrNotWaiting) {
		return chat.Capital(reminder.NotYours(id)) + ".", nil
	}
	if err != nil {
		return "", err
	}
	return chat.Capital(reminder.Cancelled(r)) + ".", nil
}

// whenAndWhat parses the arguments of !remind. A duration may be two words, such as 20 minutes.
func whenAndWhat(args string, now time.Time) (due time.Time, text string, ok bool) {
	args = strings.TrimSpace(args)
	for _, word := range []string{"me ", "in ", "at "} { // as people write it to each other
		if len(args) > len(word) && strings.EqualFold(args[:len(word)], word) {
			args = strings.TrimSpace(args[len(word):])
		}
	}
	for _, words := range []int{2, 1} {
		when, text := commands.CutWords(args, words)
		if d, err := reminder.ParseDelay(when); err == nil {
			return now.Add(d), text, true
		}
		if at, err := reminder.ParseTime(when); err == nil {
			return at, text, true
		}
	}
	return time.Time{}, "", false
}
