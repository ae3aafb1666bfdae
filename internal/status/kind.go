package status

// A Kind is what a report is about. Where there is no status channel, operators get at most one direct message an hour
// of each kind, and none of News.
type Kind string

const (
	News    Kind = "news"    // needs nothing to be done, such as a start
	Replies Kind = "replies" // that failed or were given up
	Actions Kind = "actions" // that failed
	Runs    Kind = "runs"    // scheduled and deferred, and reminders, that cannot be carried out
	Storage Kind = "storage" // the disk and the database
	Doors   Kind = "doors"   // webhooks and MCP clients cannot be answered
	Faults  Kind = "faults"  // inside the bot
)
