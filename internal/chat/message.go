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
	Handle string // their user name, which nobody else has
	Bot    bool
}

// A Message is what somebody wrote.
type Message struct {
	ID      MessageID
	Place   Place // its Message is ID
	Author  User
	Webhook bool // posted by a webhook, whose author is nobody
	System  bool // not written by anyone: a join, a pin, a started thread
	Text    string
	Sent    time.Time

	ReplyTo     MessageID // empty unless it answers another message
	Answers     *Message  // that message, where Discord sent it along; at the head of a thread, what it is about
	Mentions    []UserID  // people named one by one, never @everyone or roles
	Attachments []Attachment
	Embeds      []Embed
	Poll        *Poll // nil for none; how long it goes on is not told
	Stickers    int
	Reactions   []Reaction
	Pinned      bool
	Buttons     bool // there are some below it
	Unfinished  bool // it is an answer of the bot that was being written when this was told
}

// InDM says whether the message was written to the bot alone.
func (m Message) InDM() bool { return m.Place.Guild == "" }

// An Attachment is a file that came with a message.
type Attachment struct {
	Name string
	Type string // media type, as far as Discord knows it
	Size int
	URL  string
}

// Label is the name as others are told it: in one line, not too long, and without
// what cannot be seen.
func (a Attachment) Label() string { return Clip(OneLine(withoutControls(a.Name)), 100) }

// An Embed is a card below a message.
type Embed struct {
	Title, Description, URL, Footer string
	Fields                          []EmbedField
}

// An EmbedField is a line of an Embed.
type EmbedField struct{ Name, Value string }

// A Reaction counts those who reacted with one emoji.
type Reaction struct {
	Emoji Emoji
	Count int
	Mine  bool // the bot is one of them
}

// An Outgoing is a message to send, or what to make of one.
type Outgoing struct {
	Text    string
	ReplyTo MessageID // only when sending
	Files   []File    // only when sending
	// Nonce, of at most 25 characters, makes the message one that is posted once even
	// if it is sent twice within some minutes. Empty means a new one.
	Nonce string
	// Buttons stand below the text. In an edit, nil leaves them as they are and an
	// empty list takes them away.
	Buttons []Button
}

// StopLabel stands on the button of an answer that is still being written. It is also how such
// an answer is recognised later.
const StopLabel = "Stop"

// Unfinished says whether the message is a placeholder, or an answer that is still being written.
func (o Outgoing) Unfinished() bool {
	return slices.ContainsFunc(o.Buttons, func(b Button) bool { return b.Label == StopLabel })
}

// A File is sent along with a message. Open is called once for each time it is sent.
type File struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// A Button can be pressed. Its ID comes back in the Press.
type Button struct {
	ID     string
	Label  string
	Danger bool // red
}

// A Press is somebody pressing a button below a message.
type Press struct {
	Place  Place // its Message carries the button
	User   User
	Button string
	Answer Interaction
}

// A Reacted is somebody reacting to a message, or taking a reaction back.
type Reacted struct {
	Place   Place     // its Message is the one reacted to
	Sent    time.Time // when that was
	Author  UserID    // who wrote it; empty where Discord does not say, as when a reaction is taken back
	User    User      // who reacted; of who takes a reaction back, Discord tells the ID alone
	Emoji   Emoji
	Removed bool
}

// An Interaction is how who pressed something can be answered alone, for a quarter of
// an hour. What is in it is for Discord, and nobody else's business.
type Interaction struct{ ID, App, Token string }

// A Receipt says which messages an answer became. It is empty when nothing was
// delivered.
type Receipt struct {
	Channel  ChannelID
	Messages []MessageID // in order
}
