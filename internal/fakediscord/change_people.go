package fakediscord

import (
	"errors"
	"fmt"
	"slices"

	"discoclaw/internal/chat"
)

// WithoutMemberList switches the Server Members intent off, as in the developer portal: the
// bot may not list members.
func (w *World) WithoutMemberList() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.granted &^= intentMembers
}

// Join adds a member to a guild, which stands before the name if there are several: a new
// user of that name, a member of another guild, or one who had left. A banned user is
// refused.
func (w *World) Join(name string) (Member, error) {
	var joined Member
	err := w.change(func() error {
		g, name, err := w.newOn(name)
		if err != nil {
			return err
		}
		m := w.memberOn(g, name)
		switch {
		case m == nil:
			m = w.addMember(g, w.newcomer(name))
		case m.Banned:
			return fmt.Errorf("%s is banned", name)
		case !m.Left:
			return fmt.Errorf("%s is on the guild already", name)
		}
		m.Left, m.Joined = false, w.now()
		o := w.memberJSON(m)
		o["guild_id"] = g.ID
		w.emitOn(g, "GUILD_MEMBER_ADD", intentMembers, o)
		joined = m.clone()
		return nil
	})
	return joined, err
}

// newcomer is a new member, who may be on another guild already.
func (w *World) newcomer(name string) *Member {
	if known := w.member(name); known != nil {
		return &Member{ID: known.ID, Name: known.Name, Display: known.Display, Bot: known.Bot}
	}
	return &Member{Name: name}
}

// PlaceRole puts a role at a position, 1 for the lowest; those at and above it move
// up. A layout's roles stand in the order of its lines, the first lowest, and the
// bot's above them all.
func (w *World) PlaceRole(role string, position int) error {
	return w.change(func() error {
		r, err := w.soleRole(role)
		switch {
		case err != nil:
			return err
		case r == w.guild(r.Guild).everyone():
			return errors.New("@everyone cannot be moved")
		case position < 1:
			return errors.New("the lowest position of a role is 1")
		}
		others := slices.DeleteFunc(w.guild(r.Guild).byHeight(), func(other *Role) bool { return other == r })
		order := slices.Insert(others, min(position, len(others)), r)
		for i, placed := range order {
			if placed.Position != i {
				placed.Position = i
				w.emitRole("GUILD_ROLE_UPDATE", placed)
			}
		}
		return nil
	})
}

// leave removes a member from the guild. Their messages stay.
func (w *World) leave(m *Member) {
	w.takeOutOfVoice(m)
	m.Left, m.Roles, m.Nick = true, nil, ""
	w.emitOn(w.guild(m.Guild), "GUILD_MEMBER_REMOVE", intentMembers, object{"guild_id": m.Guild, "user": w.userJSON(m)})
}

// emitMember emits a change of a member. An event about the bot needs no intent.
func (w *World) emitMember(m *Member) {
	o := w.memberJSON(m)
	o["guild_id"] = m.Guild
	intent := intentMembers
	if m.ID == w.bot {
		intent = 0
	}
	w.emitOn(w.guild(m.Guild), "GUILD_MEMBER_UPDATE", intent, o)
}

// emitRole emits a new or changed role.
func (w *World) emitRole(name string, r *Role) {
	w.emitOn(w.guild(r.Guild), name, intentGuilds, object{"guild_id": r.Guild, "role": w.roleJSON(r)})
}

// Ban is the reason of a user's ban on the first guild, if there is one.
func (w *World) Ban(user chat.UserID) (reason string, banned bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.first().person(user)
	if m == nil {
		return "", false
	}
	return m.BanReason, m.Banned
}
