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

// An OverwriteChange is an Overwrite before and after an edit.
type OverwriteChange struct {
	Was, Is Overwrite
	// Kept are the permissions that the bot would have lost, and was given by an overwrite of its own.
	Kept []Permission
}
