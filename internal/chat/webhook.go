package chat

// A Webhook lets a program post in a channel under a name of its own. Its URL and its
// token are secrets, and are not kept here.
type Webhook struct {
	ID      string
	Name    string
	Channel ChannelID
	Creator User // zero if Discord does not tell
	// Follows is set if it reposts the announcements of a channel on another server.
	Follows bool
	// App is set if it belongs to an application.
	App bool
}
