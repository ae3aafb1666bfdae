package fakediscord

import (
	"slices"

	"discoclaw/internal/chat"
)

// Limits of a guild.
const (
	maxChannels   = 500
	maxInCategory = 50
)

// into checks that a channel can have its parent.
func (c *call) into(ch *Channel) error {
	if ch.Parent == "" {
		return nil
	}
	parent := c.channels[ch.Parent]
	switch {
	case parent == nil || parent.Guild != c.ID || !c.sees(c.bot, parent):
		return invalid("parent_id", "CHANNEL_PARENT_INVALID", "Category does not exist")
	case parent.Type != CategoryChannel, ch.Type == CategoryChannel:
		return invalid("parent_id", "CHANNEL_PARENT_INVALID_TYPE", "Not a category")
	case !c.permissions(c.bot, parent).Has(manageChannels):
		return errMissingPermissions
	case len(c.under(ch.Parent, ch.ID)) >= maxInCategory:
		return invalid("parent_id", "CHANNEL_PARENT_MAX_CHANNELS", "Maximum number of channels in category reached (%d)", maxInCategory)
	}
	return nil
}

// under are the channels of a category, oldest first, except one.
func (w *World) under(category, without chat.ChannelID) []*Channel {
	var all []*Channel
	for _, id := range w.channelOrder {
		if c := w.channels[id]; !c.Type.IsThread() && c.Type != DMChannel && c.Parent == category && c.ID != without {
			all = append(all, c)
		}
	}
	return all
}

func createChannel(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	in, err := c.channelInput("name", "type", "topic", "rate_limit_per_user", "user_limit", "position", "parent_id", "permission_overwrites", "available_tags")
	if err != nil {
		return answer{}, err
	}
	ch := &Channel{Guild: c.ID, Position: c.nextPosition(c.guild)}
	if in.Type != nil {
		ch.Type = ChannelType(*in.Type)
	}
	if ch.Type == mediaChannel {
		return answer{}, notBuiltError("a media channel")
	}
	if !slices.Contains(creatable, ch.Type) {
		return answer{}, invalid("type", "BASE_TYPE_CHOICES", "Value must be one of {0, 2, 4, 5, 13, 15}.")
	}
	if err := in.apply(ch); err != nil {
		return answer{}, err
	}
	if err := c.into(ch); err != nil {
		return answer{}, err
	}
	switch {
	case ch.Parent == "" && !c.guildPermissions(c.bot).Has(manageChannels):
		return answer{}, errMissingPermissions
	case len(c.guildChannels(c.guild)) >= maxChannels:
		return answer{}, errTooManyChannels
	}
	if err := c.furnish(ch, in); err != nil {
		return answer{}, err
	}
	position := ch.Position
	err = c.reshaped(func() error {
		c.addChannel(ch).Position = position
		c.emitChannel("CHANNEL_CREATE", ch)
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	c.auditChannel(auditChannelCreate, ch, AuditChange{Key: "name", New: ch.Name})
	return created(c.channelJSON(ch))
}

// guildChannels are all channels of a guild, without threads.
func (w *World) guildChannels(g *guild) []*Channel {
	var all []*Channel
	for _, id := range w.channelOrder {
		if c := w.channels[id]; c.Guild == g.ID && !c.Type.IsThread() {
			all = append(all, c)
		}
	}
	return all
}

// nextPosition is below all channels of a guild.
func (w *World) nextPosition(g *guild) int {
	next := 0
	for _, c := range w.guildChannels(g) {
		next = max(next, c.Position+1)
	}
	return next
}

// furnish sets the overwrites of a new channel, which are its category's unless the
// request has others, and the tags of a forum.
func (c *call) furnish(ch *Channel, in channelInput) error {
	if parent := c.channels[ch.Parent]; parent != nil {
		ch.Overwrites = slices.Clone(parent.Overwrites)
	}
	if in.Overwrites != nil {
		rules, err := c.overwrites(in.Overwrites)
		if err != nil {
			return err
		}
		ch.Overwrites = rules
	}
	if ch.Type != ForumChannel {
		return nil
	}
	tags, err := c.tags(ch, in.Tags)
	ch.Tags = tags
	return err
}

func editChannel(c *call) (answer, error) {
	ch, may, err := c.place()
	switch {
	case err != nil:
		return answer{}, err
	case ch.Type == DMChannel:
		return answer{}, errNotInDM
	case ch.Type.IsThread():
		return c.editThread(ch, may)
	}
	in, err := c.channelInput("name", "topic", "rate_limit_per_user", "user_limit", "position", "parent_id", "available_tags", "permission_overwrites", "flags")
	if err != nil {
		return answer{}, err
	}
	if !may.Has(manageChannels) {
		return answer{}, errMissingPermissions
	}
	changed := ch.clone()
	if err := in.apply(&changed); err != nil {
		return answer{}, err
	}
	if changed.Parent != ch.Parent {
		if err := c.into(&changed); err != nil {
			return answer{}, err
		}
	}
	if in.has("available_tags") {
		if ch.Type != ForumChannel {
			return answer{}, errWrongChannelType
		}
		if changed.Tags, err = c.tags(ch, in.Tags); err != nil {
			return answer{}, err
		}
	}
	if in.Flags != nil {
		if err := changed.setFlags(*in.Flags); err != nil {
			return answer{}, err
		}
	}
	if in.has("permission_overwrites") {
		if !may.Has(manageRoles) {
			return answer{}, errMissingPermissions
		}
		rules, err := c.overwrites(in.Overwrites)
		if err != nil {
			return answer{}, err
		}
		if err := c.replaceRules(ch, rules); err != nil {
			return answer{}, err
		}
		changed.Overwrites = ch.Overwrites
	}
	if changes := channelChanges(ch, &changed); len(changes) > 0 || !in.has("permission_overwrites") {
		c.auditChannel(auditChannelUpdate, ch, changes...)
	}
	err = c.reshaped(func() error {
		*ch = changed
		c.dropTags(ch)
		c.emitChannel("CHANNEL_UPDATE", ch)
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	return ok(c.channelJSON(ch))
}

func deleteChannel(c *call) (answer, error) {
	ch, may, err := c.place()
	switch {
	case err != nil:
		return answer{}, err
	case ch.Type == DMChannel:
		return answer{}, notBuiltError("a direct message")
	case ch.Type.IsThread() && !may.Has(manageThreads), !ch.Type.IsThread() && !may.Has(manageChannels):
		return answer{}, errMissingPermissions
	case ch.Rules:
		return answer{}, errRulesChannel
	}
	last := c.channelJSON(ch)
	c.auditChannel(auditChannelDelete, ch, AuditChange{Key: "name", Old: ch.Name})
	err = c.reshaped(func() error {
		c.removeChannel(ch)
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	return ok(last)
}
