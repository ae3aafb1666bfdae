package chat

import "time"

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
