package chat

// A TurnID identifies a turn, or a command, from when it is accepted. It stays the same when the
// turn is resumed by another process.
type TurnID string
