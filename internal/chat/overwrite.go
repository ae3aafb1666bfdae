package chat

// An Overwrite allows and denies permissions of a role or a member in one channel. Others stay as
// their roles have them.
type Overwrite struct {
	Role        RoleID // either this
	Member      UserID // or this
	Allow, Deny []Permission
}

// An OverwriteEdit changes an Overwrite. Permissions that it does not name stay as they are.
type OverwriteEdit struct {
	Role               RoleID // either this
	Member             UserID // or this
	Allow, Deny, Clear []Permission
}
