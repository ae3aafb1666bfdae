package chat

// An Overwrite changes what a role or a member may do in one channel. What it neither
// allows nor denies stays as their roles say.
type Overwrite struct {
	Role        RoleID // either this
	Member      UserID // or this
	Allow, Deny []Permission
}

// An OverwriteEdit says what to change about an Overwrite. What it does not name stays
// as it is.
type OverwriteEdit struct {
	Role               RoleID // either this
	Member             UserID // or this
	Allow, Deny, Clear []Permission
}
