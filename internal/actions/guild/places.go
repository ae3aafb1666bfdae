package guild

import (
	"context"
	"errors"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// Places is the part of Discord that is about channels.
type Places interface {
	// Channel finds a channel or a thread, preferably one with messages.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	// AnyChannel finds a channel of any kind.
	AnyChannel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	// Channels are all that the bot sees, and the active threads.
	Channels(ctx context.Context, g chat.GuildID) ([]chat.Channel, error)
	// Readable reports whether everybody who sees the channel here may read source as well.
	Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
	// MissingPermissions is which of the permissions a member lacks in a channel.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
}

// still checks that the requester has a right in a named channel: the name may have meant
// another one when that was demanded.
func (c *Category) still(ctx context.Context, call actions.Call, ch chat.ChannelID, right chat.Permission) error {
	missing, err := c.server.MissingPermissions(ctx, call.Origin.Place.Guild, call.Origin.Requester, ch, []chat.Permission{right})
	if err == nil && len(missing) > 0 {
		err = errors.New(actions.Needs("you", ch, right))
	}
	return err
}

// called is a channel with its #.
func called(ch chat.Channel) string { return "#" + chat.Name(ch.Name) }

// A sight knows which channels are visible to the people of the turn.
type sight struct {
	known map[chat.ChannelID]chat.Channel // visible to the bot
	sees  func(chat.ChannelID) (bool, error)
}

// sightOf looks each channel up at most once.
func (c *Category) sightOf(ctx context.Context, call actions.Call) (*sight, error) {
	g, err := call.Guild()
	if err != nil {
		return nil, err
	}
	if len(call.Origin.People()) == 0 {
		return nil, errors.New("nobody is known to have asked for this")
	}
	all, err := c.server.Channels(ctx, g)
	if err != nil {
		return nil, err
	}
	s := &sight{known: map[chat.ChannelID]chat.Channel{}}
	for _, ch := range all {
		s.known[ch.ID] = ch
	}
	asked := map[chat.ChannelID]bool{}
	s.sees = func(ch chat.ChannelID) (bool, error) {
		if answer, ok := asked[ch]; ok {
			return answer, nil
		}
		if _, known := s.known[ch]; !known {
			return false, nil // unknown, or hidden from the bot itself
		}
		answer, err := call.May(ctx, c.server.MissingPermissions, ch, chat.ViewChannel)
		if err == nil {
			asked[ch] = answer
		}
		return answer, err
	}
	return s, nil
}

// name is the name of a channel, as far as the bot knows it.
func (s *sight) name(id chat.ChannelID) string {
	if ch, known := s.known[id]; known {
		return called(ch)
	}
	return "channel " + string(id)
}
