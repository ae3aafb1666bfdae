package reminders

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/reminder"
)

// May returns why a reminder may not be posted, since much can have changed after it was set. A *reminder.Refusal is final; other
// errors, such as an outage of the server, are not.
func (c *Category) May(ctx context.Context, r reminder.Reminder) error {
	place := chat.Place{Channel: r.Channel}
	if r.Guild != "" {
		if c.server.GuildPending(r.Guild) {
			return errors.New("its server is out of order")
		}
		ch, err := c.server.ChannelByID(ctx, r.Channel)
		if err != nil {
			return err
		}
		if ch.Guild != r.Guild || !ch.Kind.TakesMessages() {
			return &reminder.Refusal{Why: "that is not a channel for messages any more"}
		}
		place = ch.Place()
	}
	if why := c.barred(r.Requester, place); why != "" {
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

// holds returns an error unless a user has permissions in the reminder's channel. A user who left the server has none.
func (c *Category) holds(ctx context.Context, r reminder.Reminder, who chat.UserID, needs ...chat.Permission) error {
	missing, err := c.server.MissingPermissions(ctx, r.Guild, who, r.Channel, needs)
	switch {
	case errors.Is(err, chat.ErrNotFound):
		return &reminder.Refusal{Why: fmt.Sprintf("<@%s> is not there any more", who)}
	case err != nil:
		return fmt.Errorf("look up the rights of a user: %w", err)
	case len(missing) > 0:
		return &reminder.Refusal{Why: fmt.Sprintf("<@%s> lacks *%s* there", who, missing[0])}
	}
	return nil
}
