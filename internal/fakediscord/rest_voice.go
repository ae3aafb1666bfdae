package fakediscord

import "discoclaw/internal/chat"

// mayMove checks whether the bot may move a member to another voice channel, or out of voice if there is none.
func (c *call) mayMove(m *Member, to chat.ChannelID) error {
	if err := c.may(moveMembers); err != nil {
		return err
	}
	if _, inside := c.voice[m.ID]; !inside {
		return errNotInVoice
	}
	ch := c.channels[to]
	switch {
	case to == "":
		return nil
	case ch == nil || ch.Guild != m.Guild:
		return errUnknownChannel
	case !ch.Type.isVocal():
		return errWrongChannelType
	case !c.permissions(c.bot, ch).Has(viewChannel | connect):
		return errMissingPermissions
	}
	return nil
}

func (c *call) move(m *Member, to chat.ChannelID) {
	if to == "" {
		c.takeOutOfVoice(m)
		return
	}
	state := c.voice[m.ID]
	state.Channel = to
	c.putInVoice(m, state)
}
