package chat

// A Menu is a slash command with all that it can do, as Discord shows it to people who
// type its name.
type Menu struct {
	Name    string
	Summary string
	Entries []MenuEntry
}

// A MenuEntry is one thing that a slash command can do.
type MenuEntry struct {
	Name    string
	Summary string
	Options []MenuOption
}

// A MenuOption is a text argument of a MenuEntry.
type MenuOption struct {
	Name     string
	Summary  string
	Required bool     // those come first
	Choices  []string // the only texts; none means any
	Suggests bool     // Discord asks the bot for completions while people type
}

// An Invocation is the event of a slash command being used.
type Invocation struct {
	Place  Place // without a Message: there is none
	User   User
	Menu   string
	Entry  string
	Values map[string]string // by option
	Answer Interaction
}

// A Completion is the event of an option of a slash command being typed.
type Completion struct {
	Place  Place
	User   User
	Menu   string
	Entry  string
	Option string
	Typed  string // so far
	Answer Interaction
}
