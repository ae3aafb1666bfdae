package chat

// A TurnID names a turn, or a command, from when it is accepted until nobody asks about it any
// more, also across processes.
type TurnID string
