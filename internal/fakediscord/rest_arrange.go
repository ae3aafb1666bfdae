package fakediscord

import (
	"encoding/json"
	"slices"

	"discoclaw/internal/chat"
)

// A placeInput is the new position and category of a channel.
type placeInput struct {
	ID       chat.ChannelID  `json:"id"`
	Position *int            `json:"position"`
	Parent   json.RawMessage `json:"parent_id"` // an ID, or null for no category
	Sync     bool            `json:"lock_permissions"`
}

// parent is the requested category, if there is one.
func (in placeInput) parent() (id *chat.ChannelID, given bool, err error) {
	if len(in.Parent) == 0 {
		return nil, false, nil
	}
	err = decode(in.Parent, &id)
	return id, true, err
}

// arrangeChannels moves channels: all of them, or none. As on Discord, the audit log has nothing about it:
// https://github.com/discord/discord-api-docs/pull/5036
func arrangeChannels(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	var list []placeInput
	if err := c.decode(&list); err != nil {
		return answer{}, err
	}
	moved := map[chat.ChannelID]Channel{}
	parents := 0
	for _, in := range list {
		before := c.channels[in.ID]
		if before == nil || before.Guild != c.ID || before.Type.IsThread() {
			return answer{}, errUnknownChannel
		}
		after, err := c.placed(before, in)
		if err != nil {
			return answer{}, err
		}
		if after.Parent != before.Parent {
			parents++
		}
		moved[in.ID] = after
	}
	if parents > 1 {
		return answer{}, errOneMoveAtATime
	}
	err := c.reshaped(func() error {
		for _, id := range slices.Clone(c.channelOrder) {
			if after, ok := moved[id]; ok {
				*c.channels[id] = after
				c.emitChannel("CHANNEL_UPDATE", c.channels[id])
			}
		}
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	return done()
}

// placed is a channel after its move.
func (c *call) placed(ch *Channel, in placeInput) (Channel, error) {
	after := ch.clone()
	if !c.sees(c.bot, ch) {
		return after, errMissingAccess
	}
	if !c.permissions(c.bot, ch).Has(manageChannels) {
		return after, errMissingPermissions
	}
	if in.Position != nil {
		after.Position = *in.Position
	}
	if after.Position < 0 {
		return after, invalid("position", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 0.")
	}
	parent, given, err := in.parent()
	if err != nil || !given {
		return after, err
	}
	after.Parent = ""
	if parent != nil {
		after.Parent = *parent
	}
	if after.Parent != ch.Parent {
		err = c.into(&after)
	}
	if category := c.channels[after.Parent]; err == nil && in.Sync && category != nil {
		after.Overwrites = slices.Clone(category.Overwrites)
	}
	return after, err
}
