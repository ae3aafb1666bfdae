package fakediscord

// Roles have an order, and a member ranks as high as their highest role. Acting on a role
// or a member needs a higher rank; the owner outranks everyone.
// https://discord.com/developers/docs/topics/permissions#permission-hierarchy

// compareRoles orders roles from low to high. Of two with one position, the older
// stands higher.
func compareRoles(a, b *Role) int {
	if a.Position != b.Position {
		return a.Position - b.Position
	}
	return compareIDs(string(b.ID), string(a.ID))
}

// highest is the role that decides a member's rank.
func (w *World) highest(m *Member) *Role {
	g := w.guild(m.Guild)
	top := g.everyone()
	for _, id := range m.Roles {
		if r := g.role(id); r != nil && compareRoles(r, top) > 0 {
			top = r
		}
	}
	return top
}

// outranks reports whether a member ranks above another. A former member ranks below all
// others.
func (w *World) outranks(who, other *Member) bool {
	switch owner := w.guild(other.Guild).Owner; {
	case other.ID == owner:
		return false
	case who.ID == owner || other.Left:
		return true
	}
	return compareRoles(w.highest(who), w.highest(other)) > 0
}

// outranksRole reports whether a member ranks above a role.
func (w *World) outranksRole(who *Member, r *Role) bool {
	return who.ID == w.guild(r.Guild).Owner || compareRoles(w.highest(who), r) > 0
}
