package fakediscord

import (
	"errors"
	"fmt"
	"slices"

	"discoclaw/internal/chat"
)

// WithoutMemberList switches the Server Members intent off, as in the developer
// portal: the bot may not ask who is on the guild.
func (w *World) WithoutMemberList() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.granted &^= intentMembers
}

// Join lets somebody onto the guild: a new person of that name, or one who had left.
// Who is banned stays out.
func (w *World) Join(name string) (Member, error) {
	var joined Member
	err := w.change(func() error {
		m := w.member(name)
		switch {
		case m == nil:
			m = w.addMember(&Member{Name: name})
		case m.Banned:
			return fmt.Errorf("%s is banned", name)
		case !m.Left:
			return fmt.Errorf("%s is on the guild already", name)
		}
		m.Left, m.Joined = false, w.now()
		o := w.memberJSON(m)
		o["guild_id"] = w.guild
		w.emit("GUILD_MEMBER_ADD", intentMembers, nil, o)
		joined = m.clone()
		return nil
	})
	return joined, err
}

// PlaceRole puts a role at a position, 1 for the lowest; those at and above it move
// up. A layout's roles stand in the order of its lines, the first lowest, and the
// bot's above them all.
func (w *World) PlaceRole(role string, position int) error {
	return w.change(func() error {
		r := w.roleNamed(role)
		if r == nil || r == w.everyone() {
			return fmt.Errorf("there is no role %s that could be moved", role)
		}
		if position < 1 {
			return errors.New("the lowest position of a role is 1")
		}
		others := slices.DeleteFunc(w.byHeight(), func(other *Role) bool { return other == r })
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

// leave takes somebody off the guild. What they wrote stays.
func (w *World) leave(m *Member) {
	w.takeOutOfVoice(m)
	m.Left, m.Roles, m.Nick = true, nil, ""
	w.emit("GUILD_MEMBER_REMOVE", intentMembers, nil, object{"guild_id": w.guild, "user": w.userJSON(m)})
}

// emitMember tells that something about a member has changed. Everybody hears about
// themselves.
func (w *World) emitMember(m *Member) {
	o := w.memberJSON(m)
	o["guild_id"] = w.guild
	intent := intentMembers
	if m.ID == w.bot {
		intent = 0
	}
	w.emit("GUILD_MEMBER_UPDATE", intent, nil, o)
}

// emitRole tells about a role that is new or changed.
func (w *World) emitRole(name string, r *Role) {
	w.emit(name, intentGuilds, nil, object{"guild_id": w.guild, "role": w.roleJSON(r)})
}

// Ban is why somebody is kept out of the guild, if they are.
func (w *World) Ban(user chat.UserID) (reason string, banned bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.user(user)
	if m == nil {
		return "", false
	}
	return m.BanReason, m.Banned
}
