package fakediscord

// Roles stand above each other, and members as high as the highest of theirs. Who
// acts on a role or a member must stand above it; nobody stands above the owner.
// https://discord.com/developers/docs/topics/permissions#permission-hierarchy

// compareRoles orders roles from low to high. Of two with one position, the older
// stands higher.
func compareRoles(a, b *Role) int {
	if a.Position != b.Position {
		return a.Position - b.Position
	}
	return compareIDs(string(b.ID), string(a.ID))
}

// highest is the role that says how high a member stands.
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

// outranks says whether a member stands above another. Somebody who has left stands
// below everybody.
func (w *World) outranks(who, other *Member) bool {
	switch owner := w.guild(other.Guild).Owner; {
	case other.ID == owner:
		return false
	case who.ID == owner || other.Left:
		return true
	}
	return compareRoles(w.highest(who), w.highest(other)) > 0
}

// outranksRole says whether a member stands above a role.
func (w *World) outranksRole(who *Member, r *Role) bool {
	return who.ID == w.guild(r.Guild).Owner || compareRoles(w.highest(who), r) > 0
}
