package turn

import (
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A Report describes a finished turn or command, for the journal, the operators and the
// playground.
type Report struct {
	ID       chat.TurnID
	Command  string // the command that was run; then no model was asked, and there is no Result
	Origin   actions.Origin
	Gate     actions.Gate
	Message  chat.Message     // that began it, or was reacted to
	Batched  []chat.MessageID // the messages that it answers, if they are several
	By       chat.User        // its author, or the member who reacted
	Began    time.Time
	Took     time.Duration
	Requests int // to Discord
	Result
	Err      error // nil for a turn that completed
	Requeued bool  // it is resumed: after the next start, or when Discord or the disk works again
}
