package chat

// An Audience is the roles and members that may see a channel. The server's owner always does.
type Audience struct {
	Everyone bool     // every member does, except those below
	Invited  bool     // it is a private thread: only those who were added to it, and those who manage threads there
	Roles    []Role   // those that let their members see it, unless everyone does; mightiest first
	Members  []UserID // those who see it by themselves, unless everyone does

	// These may not see it, though they belong to the above. Another role may let a member in again, and an administrator
	// always sees it.
	ExceptRoles   []Role
	ExceptMembers []UserID
}
