package fakediscord

import (
	"fmt"
	"strings"
)

// A name that several guilds have is written with its guild, as in disco/general. Without
// that it is not found, and nothing is changed, so that no test changes another guild than
// it means. The author of a message needs no guild: the channel has one.

// split takes the guild off a name like disco/general. It is nil if there is none.
func (w *World) split(name string) (on *guild, rest string) {
	before, after, found := strings.Cut(name, "/")
	if g := w.guildNamed(strings.TrimLeft(before, "#@")); found && g != nil {
		return g, after
	}
	return nil, name
}

// among are the guilds to search for a name: the one it names, or all.
func (w *World) among(name string) (guilds []*guild, rest string) {
	on, rest := w.split(name)
	if on != nil {
		return []*guild{on}, rest
	}
	return w.guilds, rest
}

// newOn is the guild of a new object, and its name there.
func (w *World) newOn(name string) (on *guild, rest string, err error) {
	guilds, rest := w.among(name)
	if len(guilds) > 1 {
		return nil, "", several(guilds, rest)
	}
	return guilds[0], rest, nil
}

// soleMember finds a member of one guild, or one named with the guild.
func (w *World) soleMember(name string) (*Member, error) {
	return only(w, name, "member", func(g *guild, name string) *Member {
		if m := w.memberOn(g, name); m != nil && !m.Left {
			return m
		}
		return nil
	})
}

// soleRole finds a role of one guild, or one named with the guild; see guild.roleNamed.
func (w *World) soleRole(name string) (*Role, error) {
	return only(w, name, "role", (*guild).roleNamed)
}

// noChannel is the error for a name without a channel.
func (w *World) noChannel(name string) error {
	_, err := only(w, name, "channel", w.channelOn)
	return err
}

// only finds an object on one guild, or on the guild that the name begins with.
func only[T any](w *World, name, kind string, find func(g *guild, name string) *T) (found *T, err error) {
	var having []*guild
	guilds, rest := w.among(name)
	for _, g := range guilds {
		if x := find(g, rest); x != nil {
			found, having = x, append(having, g)
		}
	}
	switch len(having) {
	case 0:
		return nil, fmt.Errorf("there is no %s %s", kind, name)
	case 1:
		return found, nil
	}
	return nil, several(having, rest)
}

func several(guilds []*guild, name string) error {
	return fmt.Errorf("say on which guild, as in %s/%s: %d have, or could have, %s", guilds[0].Name, name, len(guilds), name)
}
