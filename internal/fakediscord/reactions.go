package fakediscord

import (
	"slices"

	"discoclaw/internal/chat"
)

// maxReactions is how many different emoji a message can carry.
const maxReactions = 20

// react adds a reaction for a member who sees the channel. Joining an existing one needs
// fewer rights than a new one.
func (w *World) react(who *Member, c *Channel, m *Message, e chat.Emoji) error {
	e = w.canonical(e)
	r := m.reaction(e)
	switch may := w.permissions(who, c); {
	case c.Archived:
		return errArchived
	case !may.Has(readHistory), r == nil && !may.Has(addReactions):
		return errMissingPermissions
	case r == nil && who.Bot && !w.offers(c, may, e):
		return errUnknownEmoji
	case r == nil && len(m.Reactions) >= maxReactions:
		return errTooManyReactions
	}
	if r == nil {
		m.Reactions = append(m.Reactions, Reaction{Emoji: string(e)})
		r = &m.Reactions[len(m.Reactions)-1]
	}
	if slices.Contains(r.Users, who.ID) {
		return nil
	}
	r.Users = append(r.Users, who.ID)
	w.emitReaction("MESSAGE_REACTION_ADD", who, c, m, chat.Emoji(r.Emoji))
	return nil
}

// unreact removes a member's reaction.
func (w *World) unreact(who *Member, c *Channel, m *Message, e chat.Emoji) error {
	if c.Archived {
		return errArchived
	}
	r := m.reaction(w.canonical(e))
	if r == nil {
		return errUnknownEmoji
	}
	i := slices.Index(r.Users, who.ID)
	if i < 0 {
		return nil
	}
	emoji := chat.Emoji(r.Emoji)
	r.Users = slices.Delete(r.Users, i, i+1)
	m.Reactions = slices.DeleteFunc(m.Reactions, func(r Reaction) bool { return len(r.Users) == 0 })
	w.emitReaction("MESSAGE_REACTION_REMOVE", who, c, m, emoji)
	return nil
}

func (w *World) emitReaction(name string, who *Member, c *Channel, m *Message, e chat.Emoji) {
	w.touch(m)
	o := object{
		"user_id": who.ID, "channel_id": c.ID, "message_id": m.ID, "emoji": w.emojiJSON(e), "burst": false, "type": 0,
	}
	intent := intentDirectReactions
	if c.Type != DMChannel {
		o["guild_id"], intent = c.Guild, intentReactions
	}
	if name == "MESSAGE_REACTION_ADD" {
		o["message_author_id"] = m.Author
		if c.Type != DMChannel {
			o["member"] = w.memberJSON(who)
		}
	}
	w.emit(name, intent, c, o)
}

func addReaction(c *call) (answer, error) {
	ch, m, _, err := c.found()
	if err != nil {
		return answer{}, err
	}
	if err := c.react(c.bot, ch, m, chat.Emoji(c.vars["emoji"])); err != nil {
		return answer{}, err
	}
	return done()
}

// removeReaction removes the bot's own reaction and, with the right for it, those of
// others.
func removeReaction(c *call) (answer, error) {
	ch, m, may, err := c.found()
	if err != nil {
		return answer{}, err
	}
	who := c.bot
	if id := c.vars["user"]; id != "" && id != string(c.bot.ID) {
		if !may.Has(manageMessages) {
			return answer{}, errMissingPermissions
		}
		if who = c.World.user(chat.UserID(id)); who == nil {
			return answer{}, errUnknownUser
		}
	}
	if err := c.unreact(who, ch, m, chat.Emoji(c.vars["emoji"])); err != nil {
		return answer{}, err
	}
	return done()
}

// clearReactions removes all reactions of a message, or all with the emoji of the path.
func clearReactions(c *call) (answer, error) {
	ch, m, may, err := c.found()
	switch {
	case err != nil:
		return answer{}, err
	case !may.Has(manageMessages):
		return answer{}, errMissingPermissions
	case ch.Archived:
		return answer{}, errArchived
	}
	o, name := object{"channel_id": ch.ID, "message_id": m.ID}, "MESSAGE_REACTION_REMOVE_ALL"
	if emoji := c.canonical(chat.Emoji(c.vars["emoji"])); emoji == "" {
		m.Reactions = nil
	} else {
		r := m.reaction(emoji)
		if r == nil {
			return answer{}, errUnknownEmoji
		}
		o["emoji"], name = c.emojiJSON(chat.Emoji(r.Emoji)), "MESSAGE_REACTION_REMOVE_EMOJI"
		m.Reactions = slices.DeleteFunc(m.Reactions, func(each Reaction) bool { return each.Emoji == r.Emoji })
	}
	c.touch(m)
	intent := intentDirectReactions
	if ch.Type != DMChannel {
		o["guild_id"], intent = ch.Guild, intentReactions
	}
	c.emit(name, intent, ch, o)
	return done()
}

func listReactors(c *call) (answer, error) {
	ch, m, _, err := c.found()
	if err != nil {
		return answer{}, err
	}
	limit, err := c.number("limit", 25, 1, 100)
	if err != nil {
		return answer{}, err
	}
	after, err := c.snowflake("after")
	if err != nil {
		return answer{}, err
	}
	kind, err := c.number("type", 0, 0, 1)
	if err != nil {
		return answer{}, err
	}
	emoji := c.canonical(chat.Emoji(c.vars["emoji"]))
	r := m.reaction(emoji)
	if r == nil && !c.offers(ch, everything, emoji) {
		return answer{}, errUnknownEmoji
	}
	var users []chat.UserID
	if r != nil && kind == 0 { // there are no burst reactions here
		users = slices.Clone(r.Users)
	}
	slices.SortFunc(users, func(a, b chat.UserID) int { return compareIDs(string(a), string(b)) })
	users = slices.DeleteFunc(users, func(u chat.UserID) bool { return after != "" && compareIDs(string(u), after) <= 0 })
	return ok(c.usersJSON(users[:min(len(users), limit)]))
}
