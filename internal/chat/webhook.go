package chat

// A Webhook lets a program write in a channel under a name of its own. Its address
// and its token are secrets, and are not kept here.
type Webhook struct {
	ID      string
	Name    string
	Channel ChannelID
	Creator User // nobody if Discord does not tell
	// Follows says that it brings the news of a channel on another server.
	Follows bool
	// App says that it belongs to an application.
	App bool
}
