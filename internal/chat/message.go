package chat

import (
	"fmt"
	"io"
	"slices"
	"strings"
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

// Blank reports whether there is nothing in the message that is known here.
func (m Message) Blank() bool {
	return strings.TrimSpace(m.Text) == "" && m.Components == "" && m.Poll == nil &&
		len(m.Attachments)+len(m.Embeds)+len(m.StickerNames) == 0 && (m.Forwards == nil || m.Forwards.Blank())
}

// Files are the attachments of the message, and of the one that it forwards.
func (m Message) Files() []Attachment {
	if m.Forwards == nil {
		return m.Attachments
	}
	return slices.Concat(m.Attachments, m.Forwards.Attachments)
}

// maxEmbedNote is how much of an embed is told in a note. Most embeds are previews of a link, and less than the
// words around it.
const maxEmbedNote = 200

// Notes say what the message has besides text, in parentheses and on a line each: "(sticker: wave)". Texts of others
// in it are cut after most characters, and cannot end the parentheses.
func (m Message) Notes(most int) []string {
	notes := m.OwnNotes()
	for _, a := range m.Attachments {
		notes = append(notes, a.Note())
	}
	add := func(label, text string) {
		if text = inParentheses(text); text != "" {
			notes = append(notes, fmt.Sprintf("(%s: %s)", label, Clip(text, most)))
		}
	}
	for _, e := range m.Embeds {
		add("embed", Clip(e.Text(), maxEmbedNote))
	}
	add("components", m.Components)
	if f := m.Forwards; f != nil {
		add("forwarded, by somebody who is not named", strings.Join(append([]string{f.Text}, f.Notes(most)...), " "))
	}
	return notes
}

// OwnNotes are those of Notes that are as much the author's as the text: stickers and a poll.
func (m Message) OwnNotes() []string {
	var notes []string
	for _, name := range m.StickerNames {
		notes = append(notes, fmt.Sprintf("(sticker: %s)", Clip(inParentheses(name), 60)))
	}
	if m.Poll != nil {
		notes = append(notes, fmt.Sprintf("(poll: %s)", Clip(inParentheses(m.Poll.text()), 1000)))
	}
	return notes
}

func (p Poll) text() string {
	parts := []string{p.Question}
	for i, answer := range p.Answers {
		parts = append(parts, fmt.Sprintf("%d. %s", i+1, answer))
	}
	return strings.Join(parts, " ")
}

// Note is the name of the file, or the length of the voice message that it is.
func (a Attachment) Note() string {
	if a.Spoken > 0 {
		return fmt.Sprintf("(voice message, %.0f s; you cannot hear it)", a.Spoken.Seconds())
	}
	return fmt.Sprintf("(attached: %s)", Clip(OneLine(a.Name), 100))
}

// Text is everything that is written in the embed, on a line each.
func (e Embed) Text() string {
	lines := []string{e.Author, e.Title, e.URL, e.Description}
	for _, f := range e.Fields {
		lines = append(lines, f.Name+": "+f.Value)
	}
	lines = append(lines, e.Footer)
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

// inParentheses is OneLine for text between parentheses, which it cannot close.
func inParentheses(s string) string { return parentheses.Replace(OneLine(s)) }

var parentheses = strings.NewReplacer("(", "[", ")", "]")

// A Document is a text that people keep for the bot to read.
type Document struct{ Name, Text string }

// A Picture is an image that can be looked at.
type Picture struct {
	Name string
	Type string // media type, which is that of the data
	Data []byte
	// Answered is set if it came with the message that is replied to, which may have another
	// author.
	Answered bool
}

// A Paper is a file that some models read as it is, such as a PDF.
type Paper struct {
	Name string
	Type string // media type
	Data []byte
}

// Opened holds the attachments of a message that could be opened.
type Opened struct {
	Pictures []Picture
	Texts    []Document
	Papers   []Paper
	Spoken   string   // what the author says in a voice message; empty if it is not known
	Notes    []string // a sentence for each thing that could not be opened
}

// A Poll is a question with answers to vote for.
type Poll struct {
	Question string
	Answers  []string
	Multiple bool          // people may choose more than one
	Duration time.Duration // whole hours
	Votes    []int         // for each answer, as far as they are counted; nil in a new poll, and if Discord does not send them
	Ends     time.Time     // when voting ends or has ended; zero in a new poll, and if it is not known
	Over     bool          // nobody can vote any more
}

// A Search is what messages are searched for. What is empty does not matter.
type Search struct {
	Text   string    // words that they have
	Author UserID    // who wrote them
	Before MessageID // older than this one
	After  MessageID // newer than this one
	Limit  int       // how many to return at most
}
