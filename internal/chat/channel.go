package chat

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Kind is what sort of channel something is.
type Kind string

const (
	TextChannel   Kind = "text"
	Announcements Kind = "announcement"
	Thread        Kind = "thread"
	Forum         Kind = "forum"
	Media         Kind = "media"
	Voice         Kind = "voice"
	Stage         Kind = "stage"
	CategoryKind  Kind = "category"
	DirectMessage Kind = "direct message"
	OtherKind     Kind = "unsupported"
)

// TakesMessages reports whether messages can be sent to such a channel.
func (k Kind) TakesMessages() bool {
	return k == TextChannel || k == Announcements || k == Thread || k == DirectMessage
}

// HasChat reports whether people can write there: in such channels, or in the chat of a call.
func (k Kind) HasChat() bool { return k.TakesMessages() || k == Voice || k == Stage }

// HasPosts reports whether such a channel consists of posts, each a thread of its own.
func (k Kind) HasPosts() bool { return k == Forum || k == Media }

// A Channel is a place for messages, or a group of such places.
type Channel struct {
	ID       ChannelID
	Guild    GuildID
	Name     string
	Kind     Kind
	Parent   ChannelID // the category of a channel, the channel of a thread
	Topic    string
	Position int  // among channels of its kind in the same category; equal ones are in order of ID
	Archived bool // of a thread
	Locked   bool // of a thread: only members who manage threads may write in it or reopen it
	Private  bool // of a thread: only invited members see it
	Pinned   bool // of a forum's post: it is on top of the forum
	Created  time.Time
	Slowmode time.Duration // pause between the messages of a member; 0 for none
	Limit    int           // how many people a voice channel lets in; 0 for any number
	Active   time.Time     // when something was last said there, in a forum in any post; zero for never

	RequireTag  bool     // of a forum: its posts need a tag
	Tags        []Tag    // of a forum: what its posts may be tagged with
	AppliedTags []string // of a forum's post: IDs of its tags

	Owner        UserID        // of a thread: who started it
	ArchivedAt   time.Time     // of a thread: when it was last archived or taken out of the archive
	ArchiveAfter time.Duration // of a thread: how long it may be idle until Discord archives it
}

// A ThreadEdit changes a thread. Nil fields stay as they are.
type ThreadEdit struct {
	Name     *string
	Tags     *[]string // of a forum's post: names or IDs
	Archived *bool
	Locked   *bool
	// ArchiveAfter is how long it may be idle until Discord archives it: an hour, or one, three or seven days.
	ArchiveAfter *time.Duration
}

// Place is where something in the channel happens.
func (c Channel) Place() Place {
	p := Place{Guild: c.Guild, Channel: c.ID}
	if c.Kind == Thread {
		p.Parent = c.Parent
	}
	return p
}

// A ChannelRef is a channel as people and models write it: general, #general, <#123…>
// or 123…. It is resolved against a server later.
type ChannelRef string

// UnmarshalText takes the markup off.
func (r *ChannelRef) UnmarshalText(text []byte) error {
	s := plainRef(string(text), "<#", "#")
	if s == "" {
		return errors.New("empty; give a channel's name or ID")
	}
	*r = ChannelRef(s)
	return nil
}

// plainRef takes the markup of a mention, or the sign before a name, off.
func plainRef(text, mention, sign string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, mention); ok && strings.HasSuffix(inner, ">") {
		text = strings.TrimSuffix(inner, ">")
	}
	return strings.TrimSpace(strings.TrimPrefix(text, sign))
}

// ID returns the reference as an ID, if it has the form of one. A name can have it too.
func (r ChannelRef) ID() (ChannelID, bool) { return ChannelID(r), IsID(string(r)) }

// Last in place of a message's ID means the latest message that an earlier action
// of the same reply sent there, or else the bot's latest in that channel.
const Last MessageRef = "last"

// A MessageRef is a message as people and models write it: an ID, a link, or Last. Of a link, the
// channel is kept in front of the ID, with a slash between them.
type MessageRef string

// UnmarshalText shortens links. Handles are links by the time they are read, unless the turn has no such
// message.
func (r *MessageRef) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if lower := MessageRef(strings.ToLower(s)); lower == Last {
		*r = Last
		return nil
	}
	if handle().FindString(strings.ToLower(s)) == strings.ToLower(s) && s != "" {
		return fmt.Errorf("there is no message %s in this conversation or its results", s)
	}
	rest, id := "", s
	if at := strings.LastIndexByte(s, '/'); at >= 0 {
		rest, id = s[:at], s[at+1:]
	}
	if !IsID(id) {
		return fmt.Errorf("%q is no message: give a handle such as m2, an ID (15 to 20 digits), a link, or %q", Clip(s, 40), Last)
	}
	*r = MessageRef(id)
	if channel := rest[strings.LastIndexByte(rest, '/')+1:]; IsID(channel) {
		*r = MessageRef(channel + "/" + id)
	}
	return nil
}

// ID is the message's ID. That of Last is not known here.
func (r MessageRef) ID() MessageID {
	return MessageID(r[strings.LastIndexByte(string(r), '/')+1:])
}

// Channel is the message's channel, if the reference was a link to it.
func (r MessageRef) Channel() ChannelID {
	channel, _, _ := strings.Cut(string(r), "/")
	if len(channel) == len(r) {
		return ""
	}
	return ChannelID(channel)
}

// IsID reports whether s has the form of a Discord ID.
func IsID(s string) bool {
	if len(s) < 15 || len(s) > 20 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// A NewChannel is a channel, or a category of channels, to make.
type NewChannel struct {
	Name   string
	Kind   Kind      // empty means TextChannel
	Parent ChannelID // the category; empty for none
	Topic  string
	Limit  int   // how many people a voice channel lets in; 0 for any number
	Tags   []Tag // of a forum
	// Private hides the channel from all but these roles and members, and the bot.
	Private bool
	Roles   []RoleID
	Members []UserID
	// Position is where it stands among its neighbours, from 0 on; nil means after
	// all of them.
	Position *int
}

// A ChannelEdit changes a channel. Nil fields stay as they are.
type ChannelEdit struct {
	Name  *string
	Topic *string // empty removes it
	// Slowmode is the pause between the messages of a member, in whole seconds; 0 is off.
	Slowmode *time.Duration
	Limit    *int // how many people a voice channel lets in; 0 for any number
	// RequireTag is whether the posts of a forum need a tag.
	RequireTag *bool
}

// A Tag sorts the posts of a forum.
type Tag struct {
	ID   string
	Name string
	// Emoji stands before the name; empty for none. One that the server made is
	// :id, because Discord does not say its name here.
	Emoji     Emoji
	Moderated bool // only members who manage threads may set or remove it
}

// A TagEdit changes a tag. Nil fields stay as they are.
type TagEdit struct {
	Name  *string
	Emoji *Emoji // empty for none
}

// An Overwrite allows and denies permissions of a role or a member in one channel. Others stay as
// their roles have them.
type Overwrite struct {
	Role        RoleID // either this
	Member      UserID // or this
	Allow, Deny []Permission
}

// An OverwriteEdit changes an Overwrite. Permissions that it does not name stay as they are.
type OverwriteEdit struct {
	Role               RoleID // either this
	Member             UserID // or this
	Allow, Deny, Clear []Permission
}

// An OverwriteChange is an Overwrite before and after an edit.
type OverwriteChange struct {
	Was, Is Overwrite
	// Kept are the permissions that the bot would have lost, and was given by an overwrite of its own.
	Kept []Permission
}

// An Audience is the roles and members that may see a channel. The server's owner always does.
type Audience struct {
	Everyone bool     // every member does, except those below
	Invited  bool     // it is a private thread: only those who were added to it, and those who manage threads there
	Roles    []Role   // those that let their members see it, unless everyone does; mightiest first
	Members  []UserID // those who see it by themselves, unless everyone does

	// These may not see it, though they belong to the above. Another role may let a member in again, and an administrator
	// always sees it.
	ExceptRoles   []Role
	ExceptMembers []UserID
}

// A VoiceState is the bot's voice state on one server, as Discord last sent it.
type VoiceState struct {
	Channel    ChannelID // empty while it is in none
	Mute, Deaf bool      // by its own choice
	// Served is set once Discord has named a voice server. There may be none for a
	// while after one has failed.
	Served bool
	// Lost is set if the bot is in no channel because its gateway session was
	// replaced, and not because a member disconnected it.
	Lost bool
}

// A VoiceServer is where the sound of the bot's voice channel is, and what lets the bot in there.
type VoiceServer struct {
	Endpoint string // host and port; empty while there is none
	Token    string // another one whenever Discord names a server, be it the same one
	Session  string // the bot's, in voice
}

// An Occupant is a member in a voice channel.
type Occupant struct {
	User       // without a name if that is not known
	Channel    ChannelID
	Suppressed bool // in the audience of a stage, so nobody hears them
}

// Surroundings are what a user can know about a place without looking anything up. Several turns share the lists.
type Surroundings struct {
	Name     string       // what the bot is called there; empty if unknown
	Channels []Channel    // that the user and the bot see, categories included, in Discord's order; Active has only the day
	Private  []ChannelID  // those of them that not everybody sees
	Threads  []Channel    // open ones in those channels, without private ones
	Roles    []string     // of the user, highest first
	AllRoles []string     // that members can be given, highest first
	Rights   []Permission // of the user, out of those that not everybody has
	All      bool         // the user may do everything
	Owner    bool         // the user owns the server
	Members  int          // how many the server had when it was described; 0 if unknown
	People   []Person     // other members who were seen lately, the latest first
}

// A ChosenName is one that a member chose: their own, or the title of a thread.
type ChosenName struct {
	Name   string
	By     UserID
	Thread ChannelID // whose title it is; empty for a member's own name
}

// A Person is a member as the bot saw them last.
type Person struct {
	Member
	RoleNames []string // highest first
	All       bool     // may do everything
	Owner     bool     // owns the server
}
