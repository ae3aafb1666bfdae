package actions

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/chat"
)

// A Pacer knows who wrote last in channels with slow mode.
type Pacer interface {
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
	// Pace records a post for a member, unless slow mode forbids it until a time. Request is the message that asks for
	// it, and release takes the record back.
	Pace(ch chat.Channel, who chat.UserID, request chat.MessageID) (until time.Time, release func())
}

// withoutPace are the rights that free a member of slow mode, each of them.
var withoutPace = []chat.Permission{chat.BypassSlowmode, chat.ManageMessages, chat.ManageChannels}

// Paced posts something, unless the channel's slow mode forbids that to one of the People of the turn. Discord
// does not hold bots back, and requesters do not get that right through the bot.
func (c Call) Paced(ctx context.Context, p Pacer, ch chat.Channel, post func() error) error {
	if ch.Slowmode == 0 {
		return post()
	}
	var taken []func()
	err := func() error {
		for _, who := range c.Origin.People() {
			missing, err := p.MissingPermissions(ctx, ch.Guild, who, ch.ID, withoutPace)
			switch {
			case err != nil:
				return fmt.Errorf("I could not look up what %s may do: %w", who.Mention(), err)
			case len(missing) < len(withoutPace):
				continue
			}
			until, release := p.Pace(ch, who, c.Origin.Place.Message)
			if !until.IsZero() {
				them := who.Mention()
				if who == c.Origin.Requester {
					them = c.Origin.Addressed()
				}
				return fmt.Errorf("slow mode in %s lets %s write again %s", ch.ID.Mention(), them, chat.FromNow(until))
			}
			taken = append(taken, release)
		}
		return post()
	}()
	if err != nil {
		for _, release := range taken {
			release()
		}
	}
	return err
}
