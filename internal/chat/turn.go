package chat

import "strings"

// A TurnID identifies a turn, or a command, from when it is accepted. It stays the same when the
// turn is resumed by another process.
type TurnID string

// behind begins the ID of a turn that goes on with another one.
const behind = "after-"

// Next is the ID of the turn that goes on with this one.
func (t TurnID) Next() TurnID { return behind + t }

// Request is the ID of the first turn of a chain: what a person has asked for, of which the others are a part.
func (t TurnID) Request() TurnID {
	for strings.HasPrefix(string(t), behind) {
		t = t[len(behind):]
	}
	return t
}
