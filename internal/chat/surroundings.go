package chat

// Surroundings are what a user can know about a place without looking anything up.
type Surroundings struct {
	Name     string       // what the bot is called there; empty if unknown
	Channels []Channel    // that the user and the bot see, categories included, in Discord's order
	Private  []ChannelID  // those of them that not everybody sees
	Threads  []Channel    // open ones in those channels, without private ones
	Roles    []string     // of the user, highest first
	AllRoles []string     // that members can be given, highest first
	Rights   []Permission // of the user, out of those that not everybody has
	All      bool         // the user may do everything
	Members  int          // how many the server had when it was described; 0 if unknown
	People   []Person     // other members who were seen lately, the latest first
}

// A Person is a member as the bot saw them last.
type Person struct {
	Member
	RoleNames []string // highest first
	All       bool     // may do everything
}
