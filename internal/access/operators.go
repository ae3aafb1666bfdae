package access

import (
	"context"
	"slices"

	"discoclaw/internal/chat"
)

// Operates reports whether a user may change the bot itself when speaking on a server, or in a direct
// message if the server is empty. Where no operators are configured, the only user who is served is one;
// of several, those are who administer the server, or in a direct message any server.
func (p Policy) Operates(ctx context.Context, m Members, u chat.UserID, g chat.GuildID) bool {
	switch {
	case !p.serves(u):
		return false
	case p.Operators.Set:
		return slices.Contains(p.Operators.IDs, u)
	case len(p.Users) == 1:
		return true
	case g != "":
		return p.administers(ctx, m, u, g)
	}
	return slices.ContainsFunc(m.Servers(), func(g chat.GuildID) bool { return p.administers(ctx, m, u, g) })
}

// administers reports whether a user is an administrator of a server that the bot serves. A user who cannot be looked up
// is not.
func (p Policy) administers(ctx context.Context, m Members, u chat.UserID, g chat.GuildID) bool {
	if p.Guild != "" && g != p.Guild {
		return false
	}
	missing, err := m.MissingPermissions(ctx, g, u, "", []chat.Permission{chat.Administrator})
	return err == nil && len(missing) == 0
}

// OperatorsOnly reports whether each user who is served is an operator, wherever they speak.
func (p Policy) OperatorsOnly() bool {
	if !p.Operators.Set {
		return len(p.Users) == 1
	}
	return !slices.ContainsFunc(p.Users, func(u chat.UserID) bool { return !slices.Contains(p.Operators.IDs, u) })
}
