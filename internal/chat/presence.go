package chat

// A Presence is the bot's status and activity, on every server. When it is set, empty fields
// stay as they are.
type Presence struct {
	Status   Status
	Activity Activity
}

// A Status is the dot beside a name.
type Status string

const (
	Online       Status = "online"
	Idle         Status = "idle"
	DoNotDisturb Status = "dnd"
	Invisible    Status = "invisible"
)

// String is what Discord's clients call it.
func (s Status) String() string {
	if s == DoNotDisturb {
		return "do not disturb"
	}
	return string(s)
}

// An Activity is the line below a name: "Playing chess". Of a custom one, only the
// text is shown.
type Activity struct {
	Kind ActivityKind
	Text string
}

// An ActivityKind is the word before the text of an Activity.
type ActivityKind string

const (
	Playing   ActivityKind = "Playing"
	Listening ActivityKind = "Listening"
	Watching  ActivityKind = "Watching"
	Competing ActivityKind = "Competing"
	Custom    ActivityKind = "Custom"
)
