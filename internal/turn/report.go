package turn

import (
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A Report describes a turn that is over, or a command, for the journal, the operators and the
// playground.
type Report struct {
	ID       chat.TurnID
	Command  string // that was run instead; then no model was asked, and there is no Result
	Origin   actions.Origin
	Gate     actions.Gate
	Message  chat.Message // that began it, or that somebody reacted to
	By       chat.User    // who wrote it, or reacted
	Began    time.Time
	Took     time.Duration
	Requests int // to Discord
	Result
	Err      error // nil if it came to its end
	Requeued bool  // it goes on: after the next start, or when Discord answers or the disk has room again
}
