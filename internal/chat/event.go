package chat

import "time"

// An EventID names a scheduled event of a server.
type EventID string

// An Event is a date that a server has announced. It takes place in a voice or stage
// channel, or else somewhere that only its Location names.
type Event struct {
	ID          EventID
	Name        string
	Description string
	Start       time.Time
	End         time.Time // zero if not set
	Channel     ChannelID // empty if it is not in a channel
	Location    string    // empty if it is in a channel
	Creator     UserID    // empty if Discord does not tell
}

// A NewEvent is an event to announce. It has a Channel, or a Location and an End.
type NewEvent struct {
	Name        string
	Description string
	Start, End  time.Time
	Channel     ChannelID
	Location    string
}

// An EventEdit changes an event. Nil fields stay as they are.
type EventEdit struct {
	Name        *string
	Description *string // empty removes it
	Start       *time.Time
	End         *time.Time // zero removes it
	Location    *string    // moves an event out of its channel
	Channel     *ChannelID // moves an event into a channel
}
