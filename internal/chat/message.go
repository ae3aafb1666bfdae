package chat

import (
	"io"
	"slices"
	"time"
)

// A User is a member, a bot or the author of a webhook's message.
type User struct {
	ID     UserID
	Name   string // what others see: nickname, display name or user name
	Handle string // their user name, which is unique
	Bot    bool
}

// A Message is a message in a channel.
type Message struct {
	ID      MessageID
	Place   Place // its Message is ID
	Author  User
	Webhook bool // posted by a webhook, so its author is not a member
	System  bool // made by Discord: a join, a pin, a started thread
	Posted  bool // the bot has posted it: a question that its author asked from the menu
	Text    string
	Sent    time.Time

	ReplyTo     MessageID // empty unless it answers another message
	Answers     *Message  // that message, if Discord sent it along; of a thread's first message, the one it started from
	Mentions    []UserID  // people named one by one, never @everyone or roles
	Attachments []Attachment
	Embeds      []Embed
	Poll        *Poll // nil for none; without its duration
	Reactions   []Reaction
	Pinned      bool
	Buttons     bool // it has some besides those below an answer, or other components
	Unfinished  bool // it was a placeholder of the bot, or an answer being written, when Discord sent it

	StickerNames []string
	Components   string   // the texts of its components in order, a line or more each, buttons apart
	Forwards     *Message // what it forwards; Discord does not tell who wrote that, or where
}

// InDM reports whether the message is a direct message to the bot.
func (m Message) InDM() bool { return m.Place.Guild == "" }

// An Attachment is a file that came with a message.
type Attachment struct {
	Name string
	Type string // media type, as far as Discord knows it
	Size int
	URL  string

	Spoken time.Duration // how long a voice message is; zero for other files
}

// Label returns the name for showing: in one line, clipped, and without control characters.
func (a Attachment) Label() string { return Clip(OneLine(withoutControls(a.Name)), 100) }

// An Embed is a card below a message.
type Embed struct {
	Title, Description, URL, Footer, Author string
	Fields                                  []EmbedField
}

// An EmbedField is a line of an Embed.
type EmbedField struct{ Name, Value string }

// A Reaction counts the reactions with one emoji.
type Reaction struct {
	Emoji Emoji
	Count int
	Mine  bool // one of them is the bot's
}

// An Outgoing is a message to send, or the new state of one to edit.
type Outgoing struct {
	Text    string
	ReplyTo MessageID // only when sending
	Files   []File    // only when sending
	// Mentions are the users whom the text may notify, if it mentions them; only when sending.
	// Nobody else is notified, whatever the text says.
	Mentions []UserID
	// Nonce, of at most 25 characters, is the idempotency key of a post: Discord dedupes by it
	// for some minutes. Empty means a new one.
	Nonce string
	// Buttons are below the text. In an edit, nil leaves them as they are and an
	// empty list removes them.
	Buttons []Button
}

// StopLabel is the label of a placeholder's button. Placeholders are also recognised by it later.
const StopLabel = "Stop"

// BelowAnswer begins the IDs of the buttons below an answer. A message that has no others is no question.
const BelowAnswer = "answer:"

// Unfinished reports whether the message is a placeholder, or an answer that is still being written.
func (o Outgoing) Unfinished() bool {
	return slices.ContainsFunc(o.Buttons, func(b Button) bool { return b.Label == StopLabel })
}

// A File is sent along with a message. Open is called once for each time it is sent.
type File struct {
	Name string
	Alt  string // describes a picture to people who do not see it; only when sending a new message
	Type string // its media type, a hint for Discord; empty means that the name says it
	Open func() (io.ReadCloser, error)
}

// A Button can be pressed. Its ID comes back in the Press.
type Button struct {
	ID     string
	Label  string
	Danger bool // red
}

// A Press is the event of a button being pressed.
type Press struct {
	Place  Place // its Message carries the button
	User   User
	Button string
	Answer Interaction
}

// A Reacted is the event of a reaction being added to a message, or removed from it.
type Reacted struct {
	Place   Place     // its Message is the one reacted to
	Sent    time.Time // of that message
	Author  UserID    // of that message; empty if Discord does not tell, as for a removed reaction
	User    User      // whose reaction it is; for a removed one, only the ID is set
	Emoji   Emoji
	Removed bool
}

// An Interaction is the token by which a user who pressed a button can be answered privately, for 15
// minutes. It is a secret between Discord and the bot.
type Interaction struct{ ID, App, Token string }

// A Receipt lists the messages of a delivered answer. It is empty when nothing was delivered.
type Receipt struct {
	Channel  ChannelID
	Messages []MessageID // in order
}
