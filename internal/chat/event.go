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
	End         time.Time // zero if nobody has said
	Channel     ChannelID // empty if it is not in a channel
	Location    string    // empty if it is in a channel
	Creator     UserID    // empty if Discord does not know any more
}

// A NewEvent is an event to announce. It has a Channel, or a Location and an End.
type NewEvent struct {
	Name        string
	Description string
	Start, End  time.Time
	Channel     ChannelID
	Location    string
}

// An EventEdit says what to change about an event. What is nil stays as it is.
type EventEdit struct {
	Name        *string
	Description *string // empty takes it away
	Start       *time.Time
	End         *time.Time // zero takes it away
	Location    *string    // moves an event out of its channel
	Channel     *ChannelID // moves an event into a channel
}
