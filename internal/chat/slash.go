package chat

// A Menu is a slash command with all that it can do, as Discord shows it to people who
// type its name.
type Menu struct {
	Name       string
	Summary    string
	Entries    []MenuEntry
	OnMessages []string // what the menu of each message has for the bot
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

// A Picked is the event of one of Menu.OnMessages being chosen.
type Picked struct {
	Place  Place // its Message is the one whose menu it was
	User   User
	Entry  string
	Answer Interaction
}

// A Form is shown to one user, who fills in its one field.
type Form struct {
	ID    string // comes back in the Submission
	Title string // of at most 45 characters
	Field FormField
}

// A FormField is a text to be typed.
type FormField struct {
	ID      string
	Label   string // of at most 45 characters
	Longest int    // how many characters it may have
}

// A Submission is the event of a form being filled in.
type Submission struct {
	Place  Place // without a Message
	User   User
	Form   string
	Values map[string]string // by field
	Answer Interaction
}
