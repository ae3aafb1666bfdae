package actions

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/chat"
)

// A FindChannel finds what somebody means by a channel on a server.
type FindChannel func(ctx context.Context, g chat.GuildID, ref chat.ChannelRef) (chat.Channel, error)

// Channel finds a channel on the server of the turn, and on no other, whichever ID
// somebody wrote. If rights were checked in a channel, it is that one.
func (c Call) Channel(ctx context.Context, find FindChannel, ref chat.ChannelRef) (chat.Channel, error) {
	g := c.Origin.Place.Guild
	if g == "" {
		return chat.Channel{}, errors.New("this works on a server only")
	}
	if checked, ok := c.Checked(); ok {
		ref = chat.ChannelRef(checked)
	}
	ch, err := find(ctx, g, ref)
	if err != nil {
		return chat.Channel{}, err
	}
	if ch.Guild != g {
		return chat.Channel{}, fmt.Errorf("channel %q not found on this server", chat.Clip(string(ref), 100))
	}
	return ch, nil
}
